// The page of a scaling test: what limits, charts over the threads, and the tables of each series.
'use strict';
(function () {
  const { data, byId, number, short, fixed, percent, element, named, cells, colour, css, fillPairs, fillSelect, bar, onTheme } = common;
  const test = data.test;
  const found = new Map(test.configurations.map((one) => [one.bodies_asked + ' ' + one.threads, one]));
  const ms = (ns) => ns / 1e6;
  const count = (many, what) => number(many) + ' ' + what + (many === 1 ? '' : 's');
  const strong = (one) => one.kind === 'strong';
  const askedOf = (one, threads) => (strong(one) ? one.bodies : one.bodies_per_thread * threads);
  const nameOf = (one) => (strong(one) ? number(one.bodies) + ' bodies' : number(one.bodies_per_thread) + ' bodies per thread');
  /// Series with their members: what was measured with each number of threads, and what it gained.
  const series = test.series.map((one) => ({
    kind: one.kind, name: nameOf(one), verdict: one.verdict, advice: one.advice,
    members: one.gains.map((gain) => ({ gain, threads: gain.threads, at: found.get(askedOf(one, gain.threads) + ' ' + gain.threads) })).filter(({ at }) => at),
    runs: test.runs.filter((run) => run.bodies_asked === askedOf(one, run.threads)),
  })).filter(({ members }) => members.length > 0);
  const strongOnes = series.filter(strong), weakOnes = series.filter((one) => !strong(one));
  const phases = series.length ? Object.keys(series[0].members[0].at.phases) : [];
  const threadsOf = (member) => (member.at.taken > 0.05 ? '~' : '') + member.threads + (member.at.beyond ? '*' : '');

  // ---- what it says ----
  function verdicts() {
    const place = byId('verdicts');
    if (!test.hashes_equal) place.append(element('p', 'Runs of as many bodies did not end in the same state: these figures are of no use.', 'note'));
    series.forEach((one) => {
      if (!one.verdict) return;
      place.append(element('h3', (strong(one) ? 'The same work: ' : 'Work that grows with the threads: ') + one.name), element('p', one.verdict, 'verdict'));
      if (one.advice) place.append(element('p', one.advice, 'note'));
    });
    if (!place.querySelector('.verdict') && !test.unreliable) place.append(element('p', 'Only one number of threads was measured that can run at once here: nothing limits it yet.'));
  }

  // ---- charts ----
  const known = Array.from(new Set(series.flatMap(({ members }) => members.map(({ threads }) => threads)))).sort((a, b) => a - b);
  function ticks() {
    const apart = (known[known.length - 1] - known[0]) / 20;
    let last = -Infinity;
    return known.filter((threads) => threads - last >= apart && (last = threads)).map((v) => ({ v, label: String(v) }));
  }
  /// Beyond what can run at once the ground is darker.
  function shade(context, area, graph) {
    const from = Math.max(area.x, graph.toDomXCoord(test.threads_at_once + 0.5));
    context.fillStyle = css('--line');
    context.globalAlpha = 0.35;
    context.fillRect(from, area.y, Math.max(0, area.x + area.w - from), area.h);
    context.globalAlpha = 1;
  }
  /// Lines over the threads: {name, points: [[threads, low, middle, high]], hue, style}. Each has rows of its own in the chart.
  function addLines(title, unit, lines, options) {
    const points = lines.flatMap((line, i) => line.points.map(([threads, ...bars]) => [threads].concat(lines.map((_, k) => (k === i ? bars : null)))))
      .sort((a, b) => a[0] - b[0]);
    const pad = (known[known.length - 1] - known[0]) * 0.05 || 0.5;
    common.addChart(byId('charts'), title).show({
      labels: ['threads'].concat(lines.map(({ name }) => name)), points, xlabel: 'threads', ylabel: unit, hues: () => lines.map(({ hue }) => hue()),
      axis: { ticker: ticks }, words: title + ' over ' + known.join(', ') + ' threads',
      options: Object.assign({ customBars: true, fillAlpha: 0.18, series: Object.fromEntries(lines.map(({ name, style }) => [name, style || { drawPoints: true, pointSize: 2.5 }])),
                               underlayCallback: shade, dateWindow: [known[0] - pad, known[known.length - 1] + pad] }, options),
    });
  }
  const DASHED = { strokePattern: [6, 4], strokeWidth: 1, highlightCircleSize: 0 }, DOTS = { strokeWidth: 0, drawPoints: true, pointSize: 1.8 };
  const soft = () => css('--soft');
  const flat = (value) => [value, value, value];
  function gains(one, i, of) {
    return { name: one.name, hue: () => colour(i), points: one.members.map(({ threads, gain }) => [threads].concat(of(gain, threads))) };
  }
  /// Medians with their intervals, and each run as a dot.
  function times(ones) {
    return ones.flatMap((one, i) => [
      { name: one.name, hue: () => colour(i), points: one.members.map(({ threads, at }) => {
        const time = at.step.ns_per_step;
        return [threads, ms(time.low), ms(time.median), ms(time.high)];
      }) },
      { name: one.name + ', runs', hue: () => colour(i), style: DOTS, points: one.runs.map((run) => [run.threads].concat(flat(ms(run.wall_ns) / test.steps))) },
    ]);
  }
  function startCharts() {
    const base = known[0];
    if (strongOnes.length) {
      const least = Math.min(...test.configurations.map((one) => one.step.ns_per_step.low)), most = Math.max(...test.configurations.map((one) => one.step.ns_per_step.high));
      addLines('Speed-up', 'speed-up', [{ name: 'ideal', hue: soft, style: DASHED, points: known.map((threads) => [threads].concat(flat(threads / base))) }]
        .concat(strongOnes.map((one, i) => gains(one, i, (gain) => [gain.low, gain.speedup, gain.high]))), { includeZero: true });
      addLines('Efficiency', 'speed-up over ideal', [{ name: 'ideal', hue: soft, style: DASHED, points: known.map((threads) => [threads].concat(flat(1))) }]
        .concat(strongOnes.map((one, i) => gains(one, i, (gain, threads) => [gain.low, gain.speedup, gain.high].map((value) => value * base / threads)))), { includeZero: true });
      addLines('Time of a step', 'ms', times(strongOnes), { logscale: least > 0 && most > 20 * least });
    }
    if (weakOnes.length) {
      addLines('Weak scaling: time of a step', 'ms', weakOnes.map((one, i) => {
        const first = ms(one.members[0].at.step.ns_per_step.median);
        return { name: one.name + ', ideal', hue: () => colour(i), style: DASHED, points: one.members.map(({ threads }) => [threads].concat(flat(first))) };
      }).concat(times(weakOnes)), { includeZero: true });
      addLines('Weak scaling: efficiency', 'speed-up over ideal', weakOnes.map((one, i) => gains(one, i, (gain, threads) => [gain.low, gain.speedup, gain.high].map((value) => value * base / threads))), { includeZero: true });
    }
    const cards = Array.from(document.querySelectorAll('#verdicts ~ .chart')).filter((card) => card.querySelector('.plot'));
    if (cards.length % 2) cards[cards.length - 1].className = 'wide'; // none beside it
  }

  // ---- tables of a series ----
  const range = (low, high, tell) => tell(low) + ' – ' + tell(high);
  const numbers = (texts) => texts.map((text) => ({ number: text }));
  function fill(id, head, rows) {
    byId(id).tHead.replaceChildren(cells('th', head));
    byId(id).tBodies[0].replaceChildren(...rows.map((row) => cells('td', row)));
  }
  function fillGains(one) {
    byId('level').textContent = percent(one.members[0].at.step.ns_per_step.level);
    fill('gains', numbers(['threads', 'bodies', 'ms per step', 'interval', 'least', 'calm', 'ns per body', 'speed-up', 'interval', 'calm', 'efficiency', 'serial', 'imbalance', 'taken', 'triad, GB/s']),
      one.members.map((member) => {
        const { gain, at } = member, time = at.step.ns_per_step;
        return numbers([threadsOf(member), number(at.bodies), short(ms(time.median)), range(ms(time.low), ms(time.high), short), short(ms(time.min)), short(ms(at.calm_ns_per_step)),
          short(at.ns_per_body_step), fixed(gain.speedup), range(gain.low, gain.high, fixed), fixed(gain.calm_speedup), percent(gain.efficiency), percent(gain.serial_fraction),
          fixed(at.step.imbalance), percent(at.taken), at.triad_bytes_per_s ? short(at.triad_bytes_per_s / 1e9) : '–']);
      }));
  }
  function fillStack(one) {
    const total = (member) => phases.reduce((sum, phase) => sum + member.at.phases[phase].ns_per_step.median, 0);
    const most = Math.max(...one.members.map(total));
    const key = element('p', undefined, 'keys');
    key.append(...phases.map((phase, i) => named('span', phase, colour(i), 'key')));
    byId('stack').replaceChildren(...one.members.map((member) => {
      const row = element('div', undefined, 'stacked'), track = element('div', undefined, 'track');
      const made = bar(phases.map((phase) => ({ name: phase, value: member.at.phases[phase].ns_per_step.median, words: short(ms(member.at.phases[phase].ns_per_step.median)) + ' ms' })));
      made.style.width = 100 * total(member) / most + '%';
      track.append(made);
      row.append(element('span', threadsOf(member) + (member.threads === 1 ? ' thread' : ' threads')), track, element('span', short(ms(total(member))) + ' ms', 'amount'));
      return row;
    }), key);
  }
  const share = (name) => (member, phase) => {
    const parts = member.at.phases[phase].thread_ns_per_step;
    return percent(parts[name] / (parts.busy + parts.serial + parts.alone + parts.waiting));
  };
  // Tests of earlier versions have no bytes.
  const moved = (tell) => (member, phase) => {
    const of = member.at.phases[phase];
    return of.bytes_per_s === undefined ? '–' : tell(of);
  };
  const MEASURES = {
    'ms per step': (member, phase) => short(ms(member.at.phases[phase].ns_per_step.median)),
    'part of the step': (member, phase) => percent(member.at.phases[phase].ns_per_step.median / member.at.step.ns_per_step.median),
    'speed-up': (member, phase) => fixed(member.gain.phases[phase].speedup),
    efficiency: (member, phase) => percent(member.gain.phases[phase].efficiency),
    'serial fraction': (member, phase) => percent(member.gain.phases[phase].serial_fraction),
    imbalance: (member, phase) => fixed(member.at.phases[phase].imbalance),
    'MB moved per step, at least': moved((of) => short((of.bytes_read_per_step + of.bytes_written_per_step) / 1e6)),
    'GB moved per second, at least': moved((of) => short(of.bytes_per_s / 1e9)),
    'of what a triad moves': moved((of) => of.of_triad === undefined ? '–' : percent(of.of_triad)),
    'busy: working in parallel parts': share('busy'),
    'serial: one works outside of them': share('serial'),
    'alone: loops too short for a second thread': share('alone'),
    'waiting: to start, and for the slowest': share('waiting'),
  };
  function fillMatrix(one) {
    const tell = MEASURES[byId('what').value];
    fill('matrix', ['phase'].concat(numbers(one.members.map((member) => threadsOf(member) + (member.threads === 1 ? ' thread' : ' threads')))),
      phases.map((phase, i) => [named('td', phase, colour(i))].concat(numbers(one.members.map((member) => tell(member, phase))))));
  }
  function fillShares(one) {
    fill('shares', numbers(['threads', 'busy', 'serial', 'alone', 'waiting']), one.members.map((member) => {
      const parts = member.at.step.thread_ns_per_step, total = parts.busy + parts.serial + parts.alone + parts.waiting;
      return numbers([threadsOf(member)].concat(['busy', 'serial', 'alone', 'waiting'].map((name) => percent(parts[name] / total))));
    }));
  }
  function fillAll() {
    const one = series[Number(byId('series').value)];
    fillGains(one);
    fillStack(one);
    fillMatrix(one);
    fillShares(one);
  }
  function startTables() {
    fillSelect(byId('series'), series.map((one, i) => [i, one.kind + ': ' + one.name]), Math.max(0, strongOnes.length - 1));
    fillSelect(byId('what'), Object.keys(MEASURES).map((name) => [name, name]));
    byId('series').addEventListener('change', fillAll);
    byId('what').addEventListener('change', fillAll);
    onTheme(fillAll);
    fillAll();
  }

  function facts() {
    const { machine, build } = test;
    const load = [machine.load_first, machine.load_last].map(short).join(', ');
    fillPairs('machine', [['processor', machine.cpu], ['cores', machine.cores]].concat(
      machine.affinity ? [['allowed', machine.affinity]] : [], machine.quota ? [['quota', machine.quota]] : [], machine.governor ? [['governor', machine.governor]] : [],
      [['load, before and after', load], ['system', machine.system]], Object.entries(machine.environment || {})));
    fillPairs('measured', [['scene', test.scene], ['bodies', test.bodies.map(number).join(', ')], ['threads', test.threads.join(', ')], ['at once here', test.threads_at_once],
      ['steps', count(test.steps, 'step') + ' after ' + test.dropped], ['repeats', test.repeats], ['order seed', test.order_seed], ['kernels', test.simd], ['begun', test.started || '–'],
      ['version', test.version], ['source', build.commit], ['compiler', build.compiler], ['flags', build.flags]]);
  }

  data.title = 'Scaling of ' + test.scene;
  common.begin();
  verdicts();
  startCharts();
  startTables();
  facts();
  common.ready();
})();
