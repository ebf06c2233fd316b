// The page of a run: a player of its frames, charts of its metrics and phases, and tables.
'use strict';
(function () {
  const { data, byId, number, short, percent, element, named, cells, fillPairs, bar, onTheme, colour } = common;

  // ---- the player ----
  const frames = Array.from(document.querySelectorAll('script.frame'));
  const screen = byId('screen');
  const slider = byId('slider');
  const images = new Map(); // number -> image, the last ones only
  const KEPT = 48;
  let now = -1, wanted = 0, playing = false, rate = 30, timer = 0, shown = null, listeners = [];

  function image(i) {
    let found = images.get(i);
    if (!found) {
      found = new Image();
      found.src = 'data:image/png;base64,' + frames[i].textContent;
      found.ready = found.decode();
      images.set(i, found);
      if (images.size > KEPT) images.delete(images.keys().next().value);
    }
    return found;
  }
  function draw() {
    const pen = screen.getContext('2d');
    pen.drawImage(shown, 0, 0);
    asking.paint(pen);
  }
  function show(i) {
    wanted = Math.max(0, Math.min(frames.length - 1, i));
    const target = wanted;
    const picture = image(target);
    return picture.ready.then(() => {
      if (target !== wanted) return; // another one is asked for by now
      if (screen.width !== picture.naturalWidth || screen.height !== picture.naturalHeight) {
        screen.width = picture.naturalWidth;
        screen.height = picture.naturalHeight;
      }
      now = target;
      asking.show(now, playing);
      shown = picture;
      draw();
      slider.value = String(now);
      const facts = data.frames[now];
      const words = 'frame ' + facts.number + ' · step ' + facts.step.toLocaleString('en') + ' · time ' + number(facts.time) + stageOf(facts.step);
      byId('where').textContent = words;
      slider.setAttribute('aria-valuetext', words);
      screen.setAttribute('aria-label', 'The simulation, ' + words);
      listeners.forEach((listener) => listener(facts));
      for (let k = 1; k <= 4; ++k) if (now + k < frames.length) image(now + k);
    });
  }
  function tick() {
    if (!playing) return;
    const due = performance.now() + 1000 / rate;
    show(now + 1 < frames.length ? now + 1 : 0).then(() => {
      if (playing) timer = setTimeout(tick, Math.max(0, due - performance.now()));
    });
  }
  function play(yes) {
    playing = yes && frames.length > 1;
    clearTimeout(timer);
    byId('play').textContent = playing ? '❚❚' : '▶';
    byId('play').setAttribute('aria-label', playing ? 'Pause' : 'Play');
    if (now >= 0) asking.show(now, playing);
    if (playing) tick();
  }
  /// The stage that a step belongs to, for the end of a line.
  function stageOf(step) {
    const stage = data.stages.filter((one, i) => i === 0 || one.after < step).pop();
    return stage ? ' · stage ' + stage.name : '';
  }
  function seekStep(step) {
    let best = 0;
    data.frames.forEach((frame, i) => {
      if (Math.abs(frame.step - step) < Math.abs(data.frames[best].step - step)) best = i;
    });
    play(false);
    show(best);
  }
  function setRate(value) {
    rate = value;
    byId('rate').value = String(value);
  }
  const rates = [1, 5, 10, 30, 60];
  const actions = {
    ' ': () => play(!playing),
    ArrowLeft: () => { play(false); show(wanted - 1); },
    ArrowRight: () => { play(false); show(wanted + 1); },
    Home: () => { play(false); show(0); },
    End: () => { play(false); show(frames.length - 1); },
    PageUp: () => { play(false); show(wanted - 10); },
    PageDown: () => { play(false); show(wanted + 10); },
    '+': () => setRate(rates[Math.min(rates.length - 1, rates.indexOf(rate) + 1)]),
    '-': () => setRate(rates[Math.max(0, rates.indexOf(rate) - 1)]),
    f: () => (document.fullscreenElement ? document.exitFullscreen() : screen.requestFullscreen()),
  };
  function startPlayer() {
    if (frames.length === 0) {
      byId('player').replaceChildren(element('h2', 'Frames'), element('p', 'This run has no frames.'));
      return;
    }
    slider.max = String(frames.length - 1);
    slider.addEventListener('input', () => { play(false); show(Number(slider.value)); });
    byId('play').addEventListener('click', () => play(!playing));
    byId('back').addEventListener('click', actions.ArrowLeft);
    byId('forth').addEventListener('click', actions.ArrowRight);
    byId('whole').addEventListener('click', actions.f);
    byId('rate').addEventListener('change', (event) => setRate(Number(event.target.value)));
    document.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || !actions[event.key]) return;
      if (event.key === ' ' && event.target.tagName === 'BUTTON') return; // it presses the button
      if (event.target.tagName === 'SELECT' || event.target.type === 'number' || (event.target === slider && event.key.startsWith('Arrow'))) return;
      event.preventDefault();
      actions[event.key]();
    });
    asking.begin((i) => { play(false); show(i); }, () => { if (shown) draw(); });
    show(0);
  }

  // ---- charts ----
  const charts = [];
  const names = data.metrics.names;
  const column = (name) => names.indexOf(name);
  const rows = data.metrics.rows;

  /// Series of a chart: the column, or a function of a row and the one before.
  const difference = (name, per) => (row, before) => {
    if (!before) return null;
    const many = row[column(per || 'step')] - before[column(per || 'step')];
    return many > 0 ? (row[column(name)] - before[column(name)]) / many : null;
  };
  const energy = (row) => ['kinetic', 'potential', 'contact_energy'].reduce((sum, name) => sum + row[column(name)], 0);
  const plans = [
    { title: 'Energy', unit: 'energy', series: { kinetic: 'kinetic', potential: 'potential', 'in contacts': 'contact_energy', sum: energy } },
    { title: 'Energy lost since step 0', unit: 'energy', series: { 'between bodies': (row) => row[column('lost_bodies_normal')] + row[column('lost_bodies_friction')],
      'at walls': (row) => row[column('lost_walls_normal')] + row[column('lost_walls_friction')], 'to the medium': 'drag_lost' } },
    { title: 'Contacts', unit: 'contacts', series: { contacts: 'contacts' } },
    { title: 'Collisions per step', unit: 'collisions per step', series: { collisions: difference('collisions') } },
    { title: 'Motion', unit: '', series: { temperature: 'temperature', 'largest speed': 'fastest' } },
    { title: 'Pressure', unit: 'pressure', series: { pressure: 'pressure', 'at the walls': 'wall_pressure' } },
    { title: 'Mean squared displacement', unit: 'length²', series: { all: 'msd', 'along x': 'msd_x', 'along y': 'msd_y' } },
    { title: 'Hexatic order', unit: '', series: { 'of each body': 'psi6', 'of all together': 'psi6_global' } },
    { title: 'Quadtree', unit: 'nodes', series: { nodes: 'tree_nodes', leaves: 'tree_leaves' } },
    { title: 'Quadtree: lists and depth', unit: '', series: { 'longest list': 'tree_longest', 'deepest node': 'tree_deepest', 'bodies outside': 'tree_outside' } },
  ];
  function table(plan) {
    const given = Object.entries(plan.series).filter(([, of]) => typeof of === 'function' || column(of) >= 0);
    const points = rows.map((row, i) => [row[0]].concat(given.map(([, of]) => {
      const value = typeof of === 'function' ? of(row, i > 0 ? rows[i - 1] : null) : row[column(of)];
      return value === undefined || Number.isNaN(value) ? null : value;
    })));
    // A line that is 0 all the way, as the energy of springs is where there are none, tells nothing.
    const kept = given.map((_, k) => k + 1).filter((k) => points.some((point) => point[k] !== null && point[k] !== 0));
    return { labels: ['step'].concat(kept.map((k) => given[k - 1][0])), points: points.map((point) => [point[0]].concat(kept.map((k) => point[k]))) };
  }
  /// A line in a chart where each stage but the first begins, with the stage's name beside it: in the first of three rows where the name
  /// before ends sooner.
  function markStages(canvas, area, graph) {
    canvas.save();
    canvas.strokeStyle = canvas.fillStyle = common.css('--soft');
    canvas.setLineDash([3, 3]);
    canvas.font = '10px sans-serif';
    const ends = [0, 0, 0];
    data.stages.forEach((stage, i) => {
      const x = Math.max(graph.toDomXCoord(stage.after), area.x), next = i + 1 < data.stages.length ? graph.toDomXCoord(data.stages[i + 1].after) : area.x + area.w;
      if (x >= area.x + area.w || next <= area.x) return;
      if (stage.after > 0 && x > area.x) {
        canvas.beginPath();
        canvas.moveTo(x, area.y);
        canvas.lineTo(x, area.y + area.h);
        canvas.stroke();
      }
      const row = ends.findIndex((end) => end < x), end = x + 6 + canvas.measureText(stage.name).width;
      if (row < 0 || end > area.x + area.w) return;
      canvas.fillText(stage.name, x + 3, area.y + 9 + 11 * row);
      ends[row] = end;
    });
    canvas.restore();
  }
  function addChart(title, unit, labels, points, stacked) {
    const chart = common.addChart(byId('charts'), title);
    chart.show({
      labels, points, xlabel: 'step', ylabel: unit, tell: (step) => step.toLocaleString('en'),
      words: title + ' over steps ' + points[0][0] + ' to ' + points[points.length - 1][0],
      options: { stackedGraph: stacked, fillAlpha: stacked ? 0.75 : 0.15, strokeWidth: stacked ? 0.5 : 1.6, includeZero: stacked,
                 underlayCallback: data.stages.length ? markStages : null,
                 clickCallback: (event, x) => { if (frames.length) seekStep(x); } },
    });
    charts.push({ graph: chart.graph(), points });
  }
  /// Nanoseconds per body and step; a row's times are those since the row before.
  function phasePoints() {
    const bodies = new Map(rows.map((row) => [row[column('step')], row[column('bodies')]]));
    return data.phases.rows.map((row, i) => {
      const steps = i > 0 ? row[0] - data.phases.rows[i - 1][0] : 0;
      return [row[0]].concat(row.slice(1).map((ns) => ns / (steps * (bodies.get(row[0]) || 1))));
    }).slice(1);
  }
  /// A chart for each distribution: some of the recorded steps, over the bins of the last one.
  function showDistributions() {
    const recorded = data.distributions;
    if (recorded.length === 0) return;
    const titles = { g: 'Radial distribution g(r)', speed: 'Distribution of speeds', velocity_x: 'Distribution of velocities along x', velocity_y: 'Distribution of velocities along y' };
    recorded[recorded.length - 1].curves.forEach((last, k) => {
      if (last.values.length === 0) return;
      const points = last.values.map((_, i) => {
        const x = last.first + (i + 0.5) * last.width;
        return [x].concat(recorded.map(({ curves }) => {
          const value = curves[k].values[Math.floor((x - curves[k].first) / curves[k].width)];
          return value === undefined ? null : value;
        }));
      });
      const title = titles[last.name] || last.name;
      common.addChart(byId('charts'), title).show({
        labels: [last.over].concat(recorded.map((one) => 'step ' + one.step.toLocaleString('en'))), points, xlabel: last.over,
        ylabel: last.unit === '1' ? last.name : last.unit, tell: short, words: title + ' at ' + recorded.length + ' steps', options: { includeZero: true },
      });
    });
  }
  function startCharts() {
    if (rows.length < 2) {
      byId('charts').before(element('section', 'Fewer than two rows of metrics were recorded: there is nothing to draw (record.metrics).', 'wide'));
      return;
    }
    plans.forEach((plan) => {
      const { labels, points } = table(plan);
      if (labels.length > 1) addChart(plan.title, plan.unit, labels, points, false);
    });
    const phases = phasePoints();
    if (phases.length > 1) addChart('Time of the phases', 'ns per body and step', ['step'].concat(data.phases.names), phases, true);
    listeners.push((facts) => charts.forEach(({ graph, points }) => {
      let low = 0, high = points.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (points[middle][0] <= facts.step) low = middle; else high = middle - 1;
      }
      graph.setSelection(low);
    }));
  }

  // ---- tables ----
  function figures() {
    const result = data.result;
    if (!result) return [['state', 'not complete']];
    const drift = result.energy.last - result.energy.first;
    return [
      ...(result.ended_by ? [['ended by', result.ended_words ? result.ended_by + ': ' + result.ended_words : result.ended_by]] : []),
      ...(result.stages || []).map((stage) => ['stage ' + stage.name, 'steps ' + number(stage.after + 1) + ' to ' + number(stage.after + stage.steps) + ', ended by ' + stage.ended_by]),
      ['state hash', result.state_hash], ['wall time', short(result.wall_seconds) + ' s'],
      ['ns per body and step', result.ns_per_body_step === undefined ? '–' : short(result.ns_per_body_step)],
      ['contacts, all steps', result.contacts_total], ['begins and ends', result.events_total],
      ['energy, first and last', number(result.energy.first) + ', ' + number(result.energy.last) + ' (' + (drift < 0 ? '' : '+') + number(Number(drift.toPrecision(4))) + ')'],
      ['balance error', result.energy.balance_error === undefined ? '–' : short(100 * result.energy.balance_error) + ' %'],
      ['frames', result.frames],
      ['most memory', result.peak_rss_bytes ? short(result.peak_rss_bytes / 1e6) + ' MB' : '–'],
    ];
  }
  function phaseTotals() {
    const result = data.result;
    if (!result) // not complete: what the rows say
      return data.phases.names.map((name, i) => ({ name, seconds: data.phases.rows.reduce((sum, row) => sum + row[i + 1], 0) * 1e-9, ns: null }));
    const bodySteps = result.wall_seconds * 1e9 / result.ns_per_body_step;
    return Object.entries(result.phases).map(([name, seconds]) => ({ name, seconds, ns: seconds * 1e9 / bodySteps }));
  }
  function startPhases() {
    const totals = phaseTotals();
    const total = totals.reduce((sum, phase) => sum + phase.seconds, 0);
    if (!(total > 0)) {
      byId('phases').remove();
      return;
    }
    const paint = () => {
      byId('phasebar').replaceChildren(bar(totals.map((phase) => ({ name: phase.name, value: phase.seconds, words: number(phase.seconds) + ' s' }))));
      byId('phaserows').replaceChildren(...totals.map((phase, i) => cells('td', [named('td', phase.name, colour(i)),
        { number: short(phase.seconds) }, { number: percent(phase.seconds / total) }, { number: short(phase.ns) }])));
    };
    paint();
    onTheme(paint);
  }

  common.begin();
  fillPairs('figures', figures());
  fillPairs('provenance', data.provenance);
  byId('scene').textContent = data.scene;
  startPhases();
  startPlayer();
  startCharts();
  showDistributions();
  fields.begin();
  if (fields.any) listeners.push((facts) => fields.follow(facts.step));
  common.ready();
})();
