// The maps of a run's recorded fields: the cells of a step in colours, and profiles along an axis.
'use strict';
const fields = (function () {
  const { data, byId, number, short, css, onTheme, element, fillSelect } = common;
  const recorded = data.fields;
  const rows = recorded.rows;
  // Viridis at 0, 0.1, ... 1, as in frames: on the light ground it runs the other way, without the end that would not stand out.
  const VIRIDIS = [[68, 1, 84], [72, 36, 117], [65, 68, 135], [53, 95, 141], [42, 120, 142], [33, 145, 140], [34, 168, 132], [68, 191, 112],
    [122, 209, 81], [189, 223, 38], [253, 231, 37]];
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  function shade(part) {
    const held = Math.min(1, Math.max(0, part)), at = dark.matches ? 2 + 8 * held : 8 * (1 - held);
    const first = Math.min(9, Math.floor(at)), rest = at - first;
    return 'rgb(' + VIRIDIS[first].map((from, k) => Math.round(from + (VIRIDIS[first + 1][k] - from) * rest)).join() + ')';
  }

  // ---- quantities: those that were recorded, and two that follow from them ----
  const index = (name) => recorded.names.indexOf(name);
  const of = (row, name, cell) => row.values[index(name)][cell];
  const sum = (...parts) => (parts.includes(null) ? null : parts.reduce((a, b) => a + b, 0));
  const unit = (name) => recorded.units[index(name)];
  const quantities = [
    { name: 'speed', unit: unit('velocity_x'), value: (row, cell) => (of(row, 'velocity_x', cell) === null ? null : Math.hypot(of(row, 'velocity_x', cell), of(row, 'velocity_y', cell))), arrows: true },
    { name: 'pressure', unit: unit('contact_xx'), value: (row, cell) => {
      const trace = sum(of(row, 'kinetic_xx', cell), of(row, 'kinetic_yy', cell), of(row, 'contact_xx', cell), of(row, 'contact_yy', cell));
      return trace === null ? null : trace / 2;
    } },
  ].concat(recorded.names.map((name, i) => ({ name, unit: recorded.units[i], value: (row, cell) => row.values[i][cell] })));
  let now = rows.length - 1, chosen = quantities[0], along = 'x', profile = null, range = [0, 1];
  const canvas = byId('fieldmap');
  const words = (quantity) => quantity.name.replace(/_/g, ' ');

  const cellsOf = (row) => row.grid[4] * row.grid[5];
  /// The least and the largest value of all steps, so that they can be compared.
  function findRange() {
    let low = Infinity, high = -Infinity;
    for (const row of rows) {
      for (let cell = 0; cell < cellsOf(row); ++cell) {
        const value = chosen.value(row, cell);
        if (value === null) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    if (low > high) return [0, 1];
    low = Math.min(low, 0);
    return [low, high > low ? high : low + 1];
  }

  // ---- the map ----
  function arrow(pen, row, cell, x, y, side) {
    const vx = of(row, 'velocity_x', cell), vy = of(row, 'velocity_y', cell), length = 0.85 * side / range[1];
    const dx = vx * length / 2, dy = -vy * length / 2, speed = Math.hypot(dx, dy);
    if (speed < 1.5) return;
    pen.beginPath();
    pen.moveTo(x - dx, y - dy);
    pen.lineTo(x + dx, y + dy);
    for (const turn of [-1, 1]) {
      pen.moveTo(x + dx, y + dy);
      pen.lineTo(x + dx - 0.6 * (0.87 * dx - turn * 0.5 * dy), y + dy - 0.6 * (0.87 * dy + turn * 0.5 * dx));
    }
    pen.stroke();
  }
  function paint() {
    const row = rows[now], [, , width, height, nx, ny] = row.grid;
    const wide = nx * width, high = ny * height, most = 960;
    // As the world is, but for strips, which would not be seen.
    canvas.width = Math.round(Math.min(most, Math.max(160, most * wide / Math.max(wide, high))));
    canvas.height = Math.round(Math.min(600, Math.max(60, canvas.width * high / wide)));
    const pen = canvas.getContext('2d'), sx = canvas.width / nx, sy = canvas.height / ny;
    pen.fillStyle = css('--paper');
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.strokeStyle = css('--ink');
    pen.lineWidth = 1.2;
    for (let pass = 0; pass < 2; ++pass) {
      for (let cell = 0; cell < nx * ny; ++cell) {
        const value = chosen.value(row, cell), i = cell % nx, j = Math.floor(cell / nx);
        if (value === null) continue;
        const x = Math.round(i * sx), y = Math.round((ny - 1 - j) * sy);
        pen.fillStyle = shade((value - range[0]) / (range[1] - range[0]));
        if (pass === 0) pen.fillRect(x, y, Math.round((i + 1) * sx) - x, Math.round((ny - j) * sy) - y);
        else if (chosen.arrows && Math.min(sx, sy) >= 8) arrow(pen, row, cell, (i + 0.5) * sx, (ny - j - 0.5) * sy, Math.min(sx, sy));
      }
    }
    const moment = 'step ' + row.step.toLocaleString('en') + ' · time ' + number(row.time);
    byId('fieldwhere').textContent = moment;
    byId('fieldslider').value = String(now);
    byId('fieldslider').setAttribute('aria-valuetext', moment);
    canvas.setAttribute('aria-label', 'Map of ' + words(chosen) + ', ' + moment + ', from ' + short(range[0]) + ' to ' + short(range[1]));
    canvas.dataset.step = String(row.step);
  }
  function paintBar() {
    byId('fieldlow').textContent = short(range[0]);
    byId('fieldhigh').textContent = short(range[1]) + (chosen.unit === '1' ? '' : ' ' + chosen.unit);
    byId('fieldbar').replaceChildren(...Array.from({ length: 24 }, (_, i) => {
      const piece = element('span');
      piece.style.flex = '1';
      piece.style.background = shade(i / 23);
      return piece;
    }));
  }
  function tell(event) {
    const row = rows[now], [x, y, width, height, nx, ny] = row.grid, box = canvas.getBoundingClientRect();
    const i = Math.min(nx - 1, Math.max(0, Math.floor((event.clientX - box.left) / box.width * nx)));
    const j = Math.min(ny - 1, Math.max(0, Math.floor((box.bottom - event.clientY) / box.height * ny)));
    const value = chosen.value(row, j * nx + i);
    byId('fieldcell').textContent = 'cell at ' + short(x + (i + 0.5) * width) + ', ' + short(y + (j + 0.5) * height) + ': ' + (value === null ? 'no value' : number(value));
  }

  // ---- profiles: the mean of the cells that have a value, across the axis ----
  function profileOf(row) {
    const [x, y, width, height, nx, ny] = row.grid, over = along === 'x' ? nx : ny, across = along === 'x' ? ny : nx;
    return Array.from({ length: over }, (_, k) => {
      let total = 0, count = 0;
      for (let m = 0; m < across; ++m) {
        const value = chosen.value(row, along === 'x' ? m * nx + k : k * nx + m);
        if (value !== null) { total += value; ++count; }
      }
      return [along === 'x' ? x + (k + 0.5) * width : y + (k + 0.5) * height, count > 0 ? total / count : null];
    });
  }
  function showProfile() {
    const here = profileOf(rows[now]), all = rows.map(profileOf);
    const mean = here.map((_, k) => {
      const known = all.map((one) => one[k] && one[k][1]).filter((value) => value !== null && value !== undefined);
      return known.length > 0 ? known.reduce((a, b) => a + b, 0) / known.length : null;
    });
    profile.show({
      labels: [along, 'this step', 'mean of the steps'], points: here.map((point, k) => [point[0], point[1], mean[k]]), xlabel: along,
      ylabel: words(chosen) + (chosen.unit === '1' ? '' : ', ' + chosen.unit),
      words: 'Profile of ' + words(chosen) + ' along ' + along, options: { includeZero: true, drawPoints: here.length < 40, pointSize: 2 },
    });
  }
  function show(i) {
    now = i;
    paint();
    showProfile();
  }
  function choose() {
    range = findRange();
    paintBar();
    show(now);
  }
  /// The last step with fields up to one of the player's.
  function follow(step) {
    let best = 0;
    rows.forEach((row, i) => { if (row.step <= step) best = i; });
    if (best !== now) show(best);
  }
  function begin() {
    if (rows.length === 0) {
      byId('fields').remove();
      return;
    }
    const [, , , , nx, ny] = rows[now].grid;
    if (nx === 1) along = 'y';
    fillSelect(byId('fieldof'), quantities.map((quantity, i) => [String(i), words(quantity)]), '0');
    fillSelect(byId('fieldalong'), [['x', 'x'], ['y', 'y']], along);
    byId('fieldslider').max = String(rows.length - 1);
    byId('fieldnote').textContent = (rows.length < recorded.all ? rows.length + ' of ' + recorded.all + ' recorded steps. ' : '') +
      nx + ' × ' + ny + ' cells; colours have the range of all steps shown; cells without a value are empty.';
    const chart = byId('fieldprofile');
    profile = common.chartIn(chart.querySelector('.plot'), chart.querySelector('.legend'));
    byId('fieldof').addEventListener('change', (event) => { chosen = quantities[Number(event.target.value)]; choose(); });
    byId('fieldalong').addEventListener('change', (event) => { along = event.target.value; showProfile(); });
    byId('fieldslider').addEventListener('input', (event) => show(Number(event.target.value)));
    canvas.addEventListener('pointermove', tell);
    onTheme(() => { paintBar(); paint(); });
    choose();
  }
  return { begin, follow, any: rows.length > 0 };
})();
