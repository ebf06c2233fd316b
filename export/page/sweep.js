// The page of a sweep: a table of its points, to sort and to filter, and a chart of any result over any axis.
'use strict';
(function () {
  const { data, byId, number, element, colour, fillSelect, fillPairs } = common;
  const column = (name) => data.columns.indexOf(name);
  const STATUS = column('status'), REASON = column('reason'), CODE = column('code'), POINT = column('point'), SEED = column('seed'), LINK = column('link'),
        DIRECTORY = column('directory'), PICTURE = column('picture');
  const PAGE_ROWS = 200; // rows that are put in at once
  const MOST_HUES = 14; // values that can be told apart in a chart, more or less
  const axes = data.axes.map((name, i) => ({ name, at: i + 1 }));
  const isNumber = (value) => typeof value === 'number';
  const numeric = (at) => data.rows.some((row) => isNumber(row[at])) && data.rows.every((row) => row[at] === null || isNumber(row[at]));
  const done = data.rows.filter((row) => row[STATUS] === 'done');
  const pictures = document.querySelectorAll('script.frame');
  const url = (row, rest) => (data.way + row[DIRECTORY]).split('/').map(encodeURIComponent).join('/') + rest;

  // ---- columns ----
  // What is the same in all points tells nothing in a row of its own.
  const results = data.columns.map((name, at) => ({ name, at })).slice(STATUS + 1, DIRECTORY)
    .filter(({ at }) => done.some((row) => row[at] !== null));
  const differing = results.filter(({ at }) => done.length < 2 || done.some((row) => row[at] !== done[0][at]));
  const same = results.filter((result) => !differing.includes(result));
  const FIRST = ['energy_last', 'last_kinetic', 'contacts_total', 'events_total', 'last_pressure', 'wall_seconds', 'ns_per_body_step'];
  const main = FIRST.map((name) => differing.find((result) => result.name === name)).filter(Boolean);
  const stateWords = (row) => (row[STATUS] === 'to do' ? 'not run' : row[STATUS] === 'failed' ? 'failed, exit ' + row[CODE] + ': ' + row[REASON] : 'done');
  function shownColumns() {
    const some = byId('all').checked ? [{ name: 'seed', at: SEED }].concat(differing) : main;
    return [{ name: 'point', at: POINT }].concat(axes, { name: 'replica', at: column('replica') }, { name: 'status', at: STATUS }, some);
  }

  // ---- which rows, in which order ----
  let sorted = { at: POINT, up: true }, rows = data.rows, shown = 0;
  function compare(a, b) {
    const x = a[sorted.at], y = b[sorted.at];
    if (x === null || y === null) return (x === null) - (y === null); // what there is comes first, either way
    const order = isNumber(x) && isNumber(y) ? x - y : isNumber(x) !== isNumber(y) ? (isNumber(x) ? -1 : 1) : String(x).localeCompare(String(y));
    return (sorted.up ? order : -order) || a[POINT] - b[POINT];
  }
  /// A word of the filter as a function of a row.
  function condition(word) {
    const found = /^(.+?)(<=|>=|=|<|>)(.+)$/.exec(word);
    const at = found ? data.columns.findIndex((name) => name.toLowerCase() === found[1]) : -1;
    if (at < 0) return (row) => row.text.includes(word);
    const wanted = Number(found[3]);
    const tests = { '<': (x) => x < wanted, '>': (x) => x > wanted, '<=': (x) => x <= wanted, '>=': (x) => x >= wanted };
    if (found[2] === '=') return (row) => row[at] !== null && (isNumber(row[at]) ? row[at] === wanted : String(row[at]).toLowerCase() === found[3]);
    return (row) => isNumber(row[at]) && tests[found[2]](row[at]);
  }
  data.rows.forEach((row) => {
    row.text = [POINT].concat(axes.map(({ at }) => at)).map((at) => row[at]).concat(stateWords(row), row[DIRECTORY]).join(' ').toLowerCase();
  });
  function choose() {
    const conditions = byId('filter').value.toLowerCase().split(/\s+/).filter(Boolean).map(condition);
    rows = data.rows.filter((row) => conditions.every((holds) => holds(row))).sort(compare);
    byId('count').textContent = rows.length === data.rows.length ? rows.length + ' points' : rows.length + ' of ' + data.rows.length + ' points';
  }

  // ---- the table ----
  const looking = new IntersectionObserver((entries) => entries.filter((entry) => entry.isIntersecting).forEach(({ target }) => {
    looking.unobserve(target);
    target.src = source(Number(target.dataset.picture));
  }), { rootMargin: '200px' });
  const source = (i) => 'data:image/png;base64,' + pictures[i].textContent;
  function thumbnail(row) {
    const cell = element('td');
    if (row[PICTURE] === null) return cell;
    const button = element('button', undefined, 'thumbnail'), image = element('img');
    button.type = 'button';
    image.alt = 'Last frame of point ' + row[POINT];
    image.dataset.picture = row[PICTURE];
    button.append(image);
    button.addEventListener('click', () => enlarge(row));
    looking.observe(image);
    cell.append(button);
    return cell;
  }
  function enlarge(row) {
    const dialog = byId('large'), image = dialog.querySelector('img');
    image.src = source(row[PICTURE]);
    image.alt = 'Last frame of point ' + row[POINT];
    dialog.querySelector('p').textContent = 'point ' + row[POINT] + axes.map(({ name, at }) => ' · ' + name + ' ' + row[at]).join('');
    dialog.showModal();
  }
  function state(row) {
    const made = element('td', undefined, 'state ' + row[STATUS].replace(' ', '-'));
    if (row[STATUS] !== 'failed') {
      made.textContent = stateWords(row);
      return made;
    }
    const details = element('details'), summary = element('summary'); // the beginning of the reason, until it is opened
    summary.append(element('span', stateWords(row)));
    details.append(summary);
    made.append(details);
    return made;
  }
  function cell(row, at) {
    if (at === STATUS) return state(row);
    if (at !== POINT) {
      const words = row[at] === null ? '' : isNumber(row[at]) && at !== SEED ? number(row[at]) : String(row[at]); // of a seed all digits count
      return element('td', words, isNumber(row[at]) ? 'number' : undefined);
    }
    const made = element('td', undefined, 'number');
    if (!row[LINK]) {
      made.textContent = row[POINT];
      return made;
    }
    const link = element('a', String(row[POINT]));
    link.href = url(row, row[LINK] === 'page' ? '/report.html' : '/');
    link.title = row[LINK] === 'page' ? 'the page of this run' : 'the directory of this run';
    made.append(link);
    return made;
  }
  function addRows() {
    const columns = shownColumns(), until = Math.min(rows.length, shown + PAGE_ROWS);
    byId('points').tBodies[0].append(...rows.slice(shown, until).map((row) => {
      const made = element('tr');
      if (pictures.length) made.append(thumbnail(row));
      made.append(...columns.map(({ at }) => cell(row, at)));
      return made;
    }));
    shown = until;
    byId('more').hidden = shown === rows.length;
    byId('more').textContent = 'show ' + Math.min(PAGE_ROWS, rows.length - shown) + ' more of ' + (rows.length - shown);
  }
  function fillHead() {
    const head = element('tr');
    if (pictures.length) head.append(element('th', 'last frame'));
    head.append(...shownColumns().map(({ name, at }) => {
      const made = element('th', undefined, numeric(at) ? 'number' : undefined), button = element('button', name, 'sort');
      button.type = 'button';
      button.dataset.column = at;
      made.scope = 'col';
      made.setAttribute('aria-sort', sorted.at !== at ? 'none' : sorted.up ? 'ascending' : 'descending');
      button.addEventListener('click', () => {
        sorted = { at, up: sorted.at !== at || !sorted.up };
        refresh();
        byId('points').querySelector('button[data-column="' + at + '"]').focus(); // the head is a new one
      });
      made.append(button);
      return made;
    }));
    byId('points').tHead.replaceChildren(head);
  }
  function refresh() {
    choose();
    shown = 0;
    byId('points').tBodies[0].replaceChildren();
    fillHead();
    addRows();
    draw();
  }

  // ---- the chart ----
  const chart = common.chartIn(byId('plot'), byId('legend'));
  const across = [{ name: 'point', at: POINT }].concat(axes.filter(({ at }) => numeric(at)));
  const upright = differing.filter(({ at }) => numeric(at));
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  /// Rows for the chart: single runs and the mean at each x, for each value of what they are coloured by.
  function gather(x, y, by) {
    const groups = new Map();
    rows.filter((row) => row[STATUS] === 'done' && isNumber(row[x]) && isNumber(row[y])).forEach((row) => {
      const key = by < 0 ? '' : String(row[by]);
      if (!groups.has(key)) groups.set(key, new Map());
      const group = groups.get(key);
      if (group.has(row[x])) group.get(row[x]).push(row[y]); else group.set(row[x], [row[y]]);
    });
    const names = Array.from(groups.keys()).sort((a, b) => (Number(a) - Number(b)) || a.localeCompare(b));
    const points = [];
    names.forEach((name, g) => groups.get(name).forEach((values, at) => values.forEach((value, k) => {
      const row = [at].concat(new Array(2 * names.length).fill(null));
      row[1 + 2 * g] = value;
      if (k === 0) row[2 + 2 * g] = mean(values);
      points.push(row);
    })));
    return { names, points: points.sort((a, b) => a[0] - b[0]) };
  }
  function draw() {
    if (upright.length === 0) return;
    const x = Number(byId('over').value), y = Number(byId('result').value), by = Number(byId('by').value);
    const { names, points } = gather(x, y, by);
    const overName = data.columns[x], resultName = data.columns[y], byName = by < 0 ? '' : data.columns[by];
    const label = (name, what) => (by < 0 ? what : byName + ' ' + name + ', ' + what);
    const labels = [overName].concat(names.flatMap((name) => [label(name, 'runs'), label(name, 'mean')]));
    const series = {};
    names.forEach((name) => {
      series[label(name, 'runs')] = { strokeWidth: 0, drawPoints: true, pointSize: 3, highlightCircleSize: 5 };
      series[label(name, 'mean')] = { strokeWidth: 1.6 };
    });
    byId('plot').parentElement.dataset.points = String(points.length);
    const low = points.length ? points[0][0] : 0, high = points.length ? points[points.length - 1][0] : 0, pad = (high - low) * 0.02 || 0.5;
    const logX = byId('logx').checked && low > 0, logY = byId('logy').checked && points.every((point) => point.every((value, i) => i === 0 || value === null || value > 0));
    const even = (byId('logx').checked && !logX ? [overName] : []).concat(byId('logy').checked && !logY ? [resultName] : []);
    byId('caption').textContent = points.length === 0 ? 'None of the rows below has both numbers.'
      : 'Points are runs, the line is their mean' + (axes.length > 1 ? ', over all that is not told apart' : '') + '. Drag to zoom, double click to zoom out.'
        + even.map((name) => ' ' + name + ' is 0 or less somewhere: it has no logarithms.').join('');
    chart.show({
      labels: points.length ? labels : [overName, resultName], points: points.length ? points : [[0, null]], xlabel: overName, ylabel: resultName,
      hues: () => (points.length ? names.flatMap((_, g) => [colour(g), colour(g)]) : [colour(0)]),
      axis: { logscale: logX }, words: resultName + ' over ' + overName + (by < 0 ? '' : ', coloured by ' + byName) + ': ' + points.length + ' runs',
      options: { series, logscale: logY, dateWindow: !points.length ? null : logX ? [low / 1.05, high * 1.05] : [low - pad, high + pad] },
    });
  }
  function startChart() {
    if (upright.length === 0) {
      byId('compare').replaceChildren(element('p', 'No two runs that are done differ in a number: there is nothing to draw yet.'));
      return;
    }
    fillSelect(byId('result'), upright.map(({ name, at }) => [at, name]), (main.find((one) => upright.includes(one)) || upright[0]).at);
    fillSelect(byId('over'), across.map(({ name, at }) => [at, name]), across[across.length > 1 ? 1 : 0].at);
    const varied = axes.filter(({ at }) => {
      const many = new Set(done.map((row) => row[at])).size;
      return many > 1 && many <= MOST_HUES;
    });
    fillSelect(byId('by'), [[-1, 'nothing']].concat(varied.map(({ name, at }) => [at, name])), (varied.find(({ at }) => at !== across[across.length > 1 ? 1 : 0].at) || { at: -1 }).at);
    ['result', 'over', 'by', 'logx', 'logy'].forEach((id) => byId(id).addEventListener('change', draw));
  }

  common.begin();
  fillPairs('axes', axes.map(({ name, at }) => {
    const values = Array.from(new Set(data.rows.map((row) => row[at])));
    const told = values.slice(0, 12).map((value) => (isNumber(value) ? number(value) : value)).join(', ');
    return [name, values.length + (values.length === 1 ? ' value: ' : ' values: ') + told + (values.length > 12 ? ', …' : '')];
  }));
  const zeros = same.filter(({ at }) => done[0][at] === 0).map(({ name }) => name);
  fillPairs('same', same.filter(({ at }) => done[0][at] !== 0).map(({ name, at }) => [name, done[0][at]]).concat(zeros.length ? [['0', zeros.join(', ')]] : []));
  if (same.length === 0) byId('same').closest('section').remove();
  byId('sweep').textContent = data.sweep;
  byId('filter').addEventListener('input', refresh);
  byId('all').addEventListener('change', refresh);
  byId('more').addEventListener('click', addRows);
  startChart();
  refresh();
  common.ready();
})();
