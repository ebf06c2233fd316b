// What all pages share: the data, numbers as people read them, elements, colours, tables and charts.
'use strict';
const common = (function () {
  const data = JSON.parse(document.getElementById('data').textContent);
  const byId = (id) => document.getElementById(id);
  // Okabe and Ito's colours, which colour-blind readers can tell apart; those that drown in one theme are changed for it.
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const colours = () => dark.matches
    ? ['#56b4e9', '#e69f00', '#009e73', '#f0e442', '#cc79a7', '#d55e00', '#b8c4d0']
    : ['#0072b2', '#d55e00', '#009e73', '#b58900', '#cc79a7', '#56b4e9', '#4d5866'];
  const colour = (i) => colours()[i % colours().length];
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const onTheme = (paint) => dark.addEventListener('change', paint);

  function number(value) {
    if (value === null || value === undefined || Number.isNaN(value)) return '–';
    if (Number.isInteger(value) && Math.abs(value) < 1e7) return value.toLocaleString('en');
    const size = Math.abs(value);
    return size !== 0 && (size >= 1e6 || size < 1e-3) ? value.toExponential(4) : String(Number(value.toPrecision(6)));
  }
  const short = (value) => (value === null || value === undefined ? '–' : number(Number(value.toPrecision(3))));
  const fixed = (value) => (value === null || value === undefined ? '–' : value.toFixed(2));
  const percent = (part) => (part === null || part === undefined ? '–' : (100 * part).toFixed(1) + ' %');

  function element(name, text, className) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  }
  function named(tag, text, hue, className) { // with a patch of its colour before it
    const made = element(tag, undefined, className), swatch = element('span', undefined, 'swatch');
    swatch.style.background = hue;
    made.append(swatch, text);
    return made;
  }
  function cells(tag, values) { // a row: texts, numbers as texts in an object {number}, or elements
    const row = element('tr');
    row.append(...values.map((value) => {
      if (value instanceof Element) return value;
      return value !== null && typeof value === 'object' ? element(tag, value.number, 'number') : element(tag, value);
    }));
    return row;
  }
  function fillPairs(id, pairs) {
    byId(id).append(...pairs.map(([name, value]) => {
      const row = element('tr');
      row.append(element('th', name), element('td', typeof value === 'number' ? number(value) : value));
      return row;
    }));
  }
  function bar(parts) { // [{name, value, words}]: their shares of the whole width
    const total = parts.reduce((sum, part) => sum + part.value, 0);
    const made = element('div', undefined, 'bar');
    made.append(...parts.map((part, i) => {
      const piece = element('span');
      piece.style.flex = String(part.value / total);
      piece.style.background = colour(i);
      piece.title = part.name + ': ' + part.words;
      return piece;
    }));
    return made;
  }
  function fillSelect(select, names, chosen) {
    select.replaceChildren(...names.map(([value, text]) => {
      const option = element('option', text);
      option.value = value;
      return option;
    }));
    if (chosen !== undefined) select.value = chosen;
  }

  // ---- charts ----

  /// A card with a chart, put in before `place`. A plan has labels (the first is of x), points (rows, rising in x), xlabel, ylabel,
  /// words (what is seen, for those who cannot), hues (one for each label but the first; without it the usual ones), tell (an x as text), axis (options of x) and options.
  function addChart(place, title, className) {
    const card = element('section', undefined, className || 'chart');
    const plot = element('div', undefined, 'plot'), legend = element('div', undefined, 'legend');
    card.append(element('h2', title), plot, legend);
    place.before(card);
    return Object.assign(chartIn(plot, legend), { card });
  }
  function chartIn(plot, legend) {
    let plan = null, graph = null;
    const hues = () => (plan.hues ? plan.hues() : plan.labels.slice(1).map((_, i) => colour(i)));
    const themed = () => ({ colors: hues(), axisLineColor: css('--line'), gridLineColor: css('--line') });
    const tick = (value) => number(Number(value.toPrecision(6)));
    const tell = (value) => (plan.tell || tick)(value); // of x
    plot.setAttribute('role', 'img');
    onTheme(() => graph && graph.updateOptions(themed()));
    // Whatever it was that made it wider or narrower.
    new ResizeObserver(() => graph && graph.resize()).observe(plot);
    return {
      graph: () => graph,
      show(wanted) {
        plan = wanted;
        if (graph) graph.destroy();
        plot.setAttribute('aria-label', plan.words);
        graph = new Dygraph(plot, plan.points, Object.assign({
          labels: plan.labels, xlabel: plan.xlabel, ylabel: plan.ylabel, legend: 'always', labelsDiv: legend, strokeWidth: 1.6,
          yLabelWidth: 14, xLabelHeight: 16, labelsKMB: false, connectSeparatedPoints: true,
          axes: { y: { axisLabelWidth: 62, axisLabelFormatter: tick, valueFormatter: number },
                  x: { ...plan.axis, axisLabelFormatter: tell, valueFormatter: (value) => plan.xlabel + ' ' + tell(value) } },
        }, themed(), plan.options));
      },
    };
  }

  function begin() {
    document.title = data.title;
    byId('title').textContent = data.title;
    byId('facts').textContent = data.facts;
    byId('notes').append(...data.notes.map((note) => element('p', note, 'note')));
  }
  const ready = () => { document.documentElement.dataset.ready = 'yes'; }; // whoever drives a browser may begin
  return { data, byId, colour, css, onTheme, number, short, fixed, percent, element, named, cells, fillPairs, fillSelect, bar, addChart, chartIn, begin, ready };
})();
