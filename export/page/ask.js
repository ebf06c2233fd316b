// Bodies and nodes of the frame that the player shows, as the worlds have them that the run stored: what a click meets, what is told and
// drawn of it. A frame without such a world says so.
'use strict';
const asking = (function () {
  const { data, byId, number, element, named } = common;
  const FIELDS = 11, KINDS = ['dynamic', 'static', 'kinematic'], SHAPES = ['disk', 'rect', 'capsule', 'polygon'], CAPSULE = 2,
    WALLS = ['left wall', 'right wall', 'lower wall', 'upper wall'];
  const HUES = { self: '#ffffff', node: '#cc79a7', contacts: '#e69f00', candidates: '#56b4e9', path: '#f0e442' };
  const REACH = 8; // pixels on the screen that a click may miss a body by
  const MOST_LISTED = 60;
  const screen = byId('screen'), panel = byId('asked'), field = byId('askbody');
  const texts = new Map(Array.from(document.querySelectorAll('script.moment'), (one) => [Number(one.dataset.frame), one]));
  const moments = new Map();
  let frame = -1, asked = null, choosing = false, go = () => {}, repaint = () => {};

  // ---- worlds ----

  /// The nodes of a tree from one number for each, parents before children.
  function nodesOf(world) {
    const made = [];
    const add = (x, y, side, parent, depth) => {
      const mark = world.nodes[made.length], split = mark < 0;
      const node = { place: made.length, x, y, side, parent, depth, own: split ? -1 - mark : mark, children: [], below: 0 };
      made.push(node);
      const half = side / 2;
      if (split) for (let k = 0; k < 4; ++k) node.children.push(add(x + (k & 1) * half, y + (k >> 1) * half, half, node, depth + 1));
      node.below = node.children.reduce((sum, child) => sum + child.below, node.own);
      return node;
    };
    add(world.root[0], world.root[1], world.root[2], null, 0);
    return made;
  }
  function bodiesOf(world) {
    const made = new Map();
    for (let i = 0; i < world.bodies.length; i += FIELDS) {
      const [label, node, kind, shape, radius, x, y, angle, vx, vy, spin] = world.bodies.slice(i, i + FIELDS);
      made.set(label, { label, node, kind, outline: shape === 0 ? null : world.shapes[shape - 1], radius, x, y, angle, vx, vy, spin });
    }
    return made;
  }
  /// The world of a frame, or null.
  function moment(i) {
    if (!texts.has(i)) return null;
    if (!moments.has(i)) {
      const world = JSON.parse(texts.get(i).textContent);
      moments.set(i, Object.assign(world, { bodies: bodiesOf(world), nodes: nodesOf(world) }));
    }
    return moments.get(i);
  }
  const here = () => moment(frame);
  /// The labels that a body has beside it in a list of pairs, `width` numbers each, with the pair.
  function partners(list, width, label) {
    const found = [];
    for (let i = 0; i < list.length; i += width) {
      if (list[i] === label) found.push({ label: list[i + 1], row: list.slice(i, i + width) });
      else if (list[i + 1] === label) found.push({ label: list[i], row: list.slice(i, i + width) });
    }
    return found.sort((a, b) => a.label - b.label);
  }
  /// Where a body was in all frames that have a world.
  let way = { label: -1, places: [] };
  function pathOf(label) {
    if (way.label !== label)
      way = { label, places: Array.from(texts.keys()).filter((i) => moment(i).bodies.has(label)).map((i) => ({ frame: i, body: moment(i).bodies.get(label) })) };
    return way.places;
  }

  // ---- geometry ----

  const wrap = (distance, period) => (period > 0 ? distance - period * Math.round(distance / period) : distance);
  const place = (world, x, y) => {
    const [x0, y0, scale, left, bottom] = world.camera;
    return [left + (x - x0) * scale, bottom - (y - y0) * scale];
  };
  const worldPlace = (world, px, py) => {
    const [x0, y0, scale, left, bottom] = world.camera;
    return [x0 + (px - left) / scale, y0 + (bottom - py) / scale];
  };
  /// The image of a body that is nearest to the middle of the picture, or to (x, y).
  function imageOf(world, body, x, y) {
    if (x === undefined) [x, y] = worldPlace(world, screen.width / 2, screen.height / 2);
    return [x + wrap(body.x - x, world.period[0]), y + wrap(body.y - y, world.period[1])];
  }
  /// Corners of a body's core about (x, y).
  function corners(body, x, y) {
    const cosine = Math.cos(body.angle), sine = Math.sin(body.angle), made = [];
    for (let i = 2; i < body.outline.length; i += 2) {
      const [u, v] = [body.outline[i], body.outline[i + 1]];
      made.push([x + u * cosine - v * sine, y + u * sine + v * cosine]);
    }
    return made;
  }
  function toSegment(px, py, [ax, ay], [bx, by]) {
    const dx = bx - ax, dy = by - ay, length = dx * dx + dy * dy;
    const part = length > 0 ? Math.max(0, Math.min(1, ((px - ax) * dx + (py - ay) * dy) / length)) : 0;
    return Math.hypot(px - ax - part * dx, py - ay - part * dy);
  }
  /// How far a point is from a body; below 0 in it.
  function distance(world, body, px, py) {
    const [x, y] = imageOf(world, body, px, py);
    if (!body.outline) return Math.hypot(px - x, py - y) - body.radius;
    const points = corners(body, x, y), closed = body.outline[1] !== CAPSULE;
    let least = Infinity, inside = closed;
    for (let i = 0; i + (closed ? 0 : 1) < points.length; ++i) {
      const from = points[i], to = points[(i + 1) % points.length];
      least = Math.min(least, toSegment(px, py, from, to));
      if ((to[0] - from[0]) * (py - from[1]) - (to[1] - from[1]) * (px - from[0]) < 0) inside = false;
    }
    return (inside ? -least : least) - body.outline[0];
  }
  /// The body at a point: of several that hold it the smallest, else the nearest within reach.
  function bodyAt(world, px, py, reach) {
    let inner = null, near = null, best = reach;
    world.bodies.forEach((body) => {
      const far = distance(world, body, px, py);
      if (far <= 0 && (!inner || body.radius < inner.radius)) inner = body;
      if (far > 0 && far <= best) { best = far; near = body; }
    });
    return inner || near;
  }
  /// The deepest node that holds a point; along a periodic axis any image of it.
  function nodeAt(world, px, py) {
    const root = world.nodes[0], holds = (node, x, y) => x >= node.x && y >= node.y && x < node.x + node.side && y < node.y + node.side;
    const middle = [root.x + root.side / 2, root.y + root.side / 2];
    const x = middle[0] + wrap(px - middle[0], world.period[0]), y = middle[1] + wrap(py - middle[1], world.period[1]);
    if (!holds(root, x, y)) return null;
    let node = root;
    while (node.children.length > 0) node = node.children.find((child) => holds(child, x, y));
    return node;
  }

  // ---- what is asked ----

  /// Of a node the cell is kept: other frames may have it, too.
  const cellOf = (node) => ({ x: node.x, y: node.y, side: node.side });
  function askedNode(world) {
    const cell = asked.cell, same = (a, b) => Math.abs(a - b) < cell.side / 1000; // the page has seven digits
    return world.nodes.find((node) => same(node.x, cell.x) && same(node.y, cell.y) && same(node.side, cell.side)) || null;
  }
  function ask(what) {
    asked = what;
    if (!asked) choosing = false;
    field.value = asked && asked.label !== undefined ? String(asked.label) : '';
    tell();
    repaint();
  }
  const askBody = (label) => ask({ label });
  const askNode = (node) => ask({ cell: cellOf(node) });

  // ---- the panel ----

  function button(text, action, label) {
    const made = element('button', text, 'ask');
    made.type = 'button';
    if (label) made.setAttribute('aria-label', label);
    made.addEventListener('click', action);
    return made;
  }
  function labels(list, told) {
    const made = element('span', list.length === 0 ? 'none' : undefined);
    list.slice(0, MOST_LISTED).forEach((one) => {
      if (one < 0) made.append(element('span', WALLS[-1 - one], 'wall'), ' ');
      else made.append(button(String(one), () => askBody(one), told + ' ' + one), ' ');
    });
    if (list.length > MOST_LISTED) made.append('and ' + number(list.length - MOST_LISTED) + ' more');
    return made;
  }
  const nodeWords = (node) => 'depth ' + node.depth + ', cell ' + number(node.side) + ' × ' + number(node.side) + ' from ' + number(node.x) + ', ' + number(node.y);
  function bodyRows(world, body) {
    const contacts = partners(world.contacts, 5, body.label), candidates = partners(world.pairs, 2, body.label);
    const path = pathOf(body.label), node = world.nodes[body.node];
    const impulse = contacts.reduce((sum, one) => sum + one.row[2], 0);
    const shape = body.outline ? SHAPES[body.outline[1]] + ', reaches ' : 'disk, radius ';
    return ['Body ' + body.label, [
      ['is', KINDS[body.kind] + ' ' + shape + number(body.radius)],
      ['at', number(body.x) + ', ' + number(body.y) + ', turned by ' + number(body.angle)],
      ['velocity', number(body.vx) + ', ' + number(body.vy) + ' (' + number(Math.hypot(body.vx, body.vy)) + '), spin ' + number(body.spin)],
      [named('span', 'node', HUES.node), button(nodeWords(node), () => askNode(node))],
      [named('span', 'candidates', HUES.candidates), labels(candidates.map((one) => one.label), 'candidate, body'), candidates.length],
      [named('span', 'contacts', HUES.contacts), labels(contacts.map((one) => one.label), 'contact, body'), contacts.length],
      ...(contacts.length > 0 ? [['impulse', number(impulse) + ' along the normals of its contacts']] : []),
      [named('span', 'path', HUES.path), number(path.length) + ' places, from frame ' + data.frames[path[0].frame].number + ' to ' + data.frames[path[path.length - 1].frame].number],
    ]];
  }
  function nodeRows(world, node) {
    const own = Array.from(world.bodies.values()).filter((body) => body.node === node.place).map((body) => body.label).sort((a, b) => a - b);
    const cut = own.length < node.own ? ', of which this page has ' + number(own.length) : '';
    return ['Node', [
      [named('span', 'cell', HUES.node), number(node.side) + ' × ' + number(node.side) + ' from ' + number(node.x) + ', ' + number(node.y)],
      ['depth', String(node.depth) + (node.children.length > 0 ? ', split into four' : ', a leaf')],
      [named('span', 'bodies', HUES.candidates), labels(own, 'body'), number(node.own) + cut],
      ['with those below', number(node.below)],
      ['above', node.parent ? button(nodeWords(node.parent), () => askNode(node.parent)) : element('span', 'none: it is the root')],
    ]];
  }
  /// The frame with a world that is nearest to the present one.
  function nearest() {
    const known = Array.from(texts.keys());
    return known.reduce((best, i) => (best < 0 || Math.abs(i - frame) < Math.abs(best - frame) ? i : best), -1);
  }
  function message(text, more) {
    panel.replaceChildren(element('p', text));
    if (more) panel.lastChild.append(' ', more);
  }
  function withoutWorld() {
    const there = nearest();
    if (there < 0) return message('The page has no snapshots of these frames, so their bodies cannot be asked: quadrille run --snapshots E stores one every E steps.');
    return message('Frame ' + data.frames[frame].number + ' has no snapshot in this page, so nothing is known of its bodies.',
      button('go to frame ' + data.frames[there].number, () => go(there)));
  }
  function tell() {
    const world = frame < 0 ? null : here();
    screen.dataset.asked = asked ? (asked.label !== undefined ? 'body ' + asked.label : 'node') : '';
    byId('askclear').disabled = !asked;
    if (!asked) return texts.size === 0 ? withoutWorld() : panel.replaceChildren();
    if (!world) return withoutWorld();
    const body = world.bodies.get(asked.label), node = asked.cell ? askedNode(world) : null;
    if (asked.label !== undefined && !body)
      return message('Body ' + asked.label + (world.bodies.size < world.all ? ' is not among the ' + number(world.bodies.size) + ' of ' + number(world.all) + ' bodies that this page has of the frame.' : ' is not there in this frame.'));
    if (asked.cell && !node) return message('In this frame the tree has no node with that cell.');
    const [title, rows] = body ? bodyRows(world, body) : nodeRows(world, node);
    const table = element('table'), inner = element('tbody');
    rows.forEach(([name, value, count]) => {
      const row = element('tr'), head = element('th'), cell = element('td');
      head.scope = 'row';
      head.append(name);
      if (count !== undefined) cell.append(element('b', typeof count === 'number' ? number(count) : count), ': ');
      cell.append(value);
      row.append(head, cell);
      inner.append(row);
    });
    table.append(inner);
    const said = choosing ? [element('p', body ? 'Arrow keys go to the next body, enter to its node, escape ends it.' : 'Arrow keys go to the next node, enter to the one above, escape ends it.', 'keys')] : [];
    panel.replaceChildren(element('h3', title), table, ...said);
  }

  // ---- the picture ----

  /// A pixel of the screen in pixels of the picture.
  const lineWidth = () => Math.max(1, screen.width / Math.max(1, screen.clientWidth));
  function stroke(pen, hue, width, dashes) {
    const unit = lineWidth();
    pen.setLineDash((dashes || []).map((length) => length * unit));
    [['#000000', width + 2], [hue, width]].forEach(([colour, wide]) => { // seen on any ground
      pen.strokeStyle = colour;
      pen.lineWidth = wide * unit;
      pen.stroke();
    });
    pen.setLineDash([]);
  }
  /// The core's corners, and round each an arc from the normal of the side before it to that of the side after it.
  function outline(pen, world, body, hue, width) {
    const [x, y] = imageOf(world, body), scale = world.camera[2];
    const points = body.outline ? corners(body, x, y) : [[x, y]], rounding = (body.outline ? body.outline[0] : body.radius) * scale;
    const normal = (from, to) => Math.atan2(to[0] - from[0], from[1] - to[1]) + Math.PI; // to the right of the side: outward
    pen.beginPath();
    points.forEach((corner, i) => {
      const before = points[(i + points.length - 1) % points.length], after = points[(i + 1) % points.length];
      if (points.length === 1) pen.arc(...place(world, ...corner), Math.max(rounding, 2 * lineWidth()), 0, 2 * Math.PI);
      else pen.arc(...place(world, ...corner), rounding, -normal(before, corner), -normal(corner, after), true);
    });
    pen.closePath();
    stroke(pen, hue, width);
  }
  function cell(pen, world, node) {
    const [left, top] = place(world, node.x, node.y + node.side), side = node.side * world.camera[2];
    pen.beginPath();
    pen.rect(left, top, side, side);
    stroke(pen, HUES.node, 2, [6, 4]);
  }
  function drawPath(pen, world, label) {
    let before = null;
    pen.beginPath();
    pathOf(label).forEach(({ body }) => {
      const [x, y] = imageOf(world, body);
      const jumps = before && ((world.period[0] > 0 && Math.abs(x - before[0]) > world.period[0] / 2) || (world.period[1] > 0 && Math.abs(y - before[1]) > world.period[1] / 2));
      if (!before || jumps) pen.moveTo(...place(world, x, y)); else pen.lineTo(...place(world, x, y));
      before = [x, y];
    });
    stroke(pen, HUES.path, 1);
  }
  /// Draws what is asked over the frame that has just been drawn.
  function paint(pen) {
    const world = here();
    if (!asked || !world) return;
    const [left, top, right, bottom] = world.area;
    pen.save();
    pen.beginPath();
    pen.rect(left, top, right - left, bottom - top);
    pen.clip(); // the text below stays
    drawAsked(pen, world);
    pen.restore();
  }
  function drawAsked(pen, world) {
    const body = world.bodies.get(asked.label), node = asked.cell ? askedNode(world) : body && world.nodes[body.node];
    const draw = (list, hue) => list.forEach((one) => world.bodies.has(one) && outline(pen, world, world.bodies.get(one), hue, 1.5));
    if (node) cell(pen, world, node);
    if (asked.cell && node) draw(Array.from(world.bodies.values()).filter((one) => one.node === node.place).map((one) => one.label), HUES.candidates);
    if (!body) return;
    drawPath(pen, world, body.label);
    draw(partners(world.pairs, 2, body.label).map((one) => one.label), HUES.candidates);
    draw(partners(world.contacts, 5, body.label).map((one) => one.label), HUES.contacts);
    outline(pen, world, body, HUES.self, 2.5);
  }

  // ---- mouse and keys ----

  function click(event) {
    const world = here();
    if (!world) return withoutWorld();
    const box = screen.getBoundingClientRect();
    // In full screen the picture is as large as fits, in the middle.
    const scale = Math.min(box.width / screen.width, box.height / screen.height);
    const px = (event.clientX - box.left - (box.width - screen.width * scale) / 2) / scale;
    const py = (event.clientY - box.top - (box.height - screen.height * scale) / 2) / scale;
    const [x, y] = worldPlace(world, px, py);
    const body = bodyAt(world, x, y, REACH / scale / world.camera[2]), node = body ? null : nodeAt(world, x, y);
    choosing = false;
    if (body) return askBody(body.label);
    return node ? askNode(node) : ask(null);
  }
  /// The body that is nearest in a direction, or to the middle of the picture; it prefers what lies straight ahead.
  function neighbour(world, from, along) {
    const [x, y] = from ? imageOf(world, from) : worldPlace(world, screen.width / 2, screen.height / 2);
    let found = from || null, best = Infinity;
    world.bodies.forEach((body) => {
      const dx = wrap(body.x - x, world.period[0]), dy = wrap(body.y - y, world.period[1]);
      const ahead = along ? dx * along[0] + dy * along[1] : 0, aside = along ? Math.abs(dx * along[1]) + Math.abs(dy * along[0]) : 0;
      const far = along ? Math.hypot(dx, dy) + aside : Math.hypot(dx, dy);
      if (body === from || (along && ahead <= aside / 2) || far >= best) return;
      best = far;
      found = body;
    });
    return found;
  }
  function step(world, along) {
    if (asked.label !== undefined) {
      const next = neighbour(world, world.bodies.get(asked.label), along);
      if (next) askBody(next.label);
      return;
    }
    const from = asked.cell, just = from.side * (0.5 + 1e-6);
    const next = nodeAt(world, from.x + from.side / 2 + along[0] * just, from.y + from.side / 2 + along[1] * just);
    if (next) askNode(next);
  }
  function enter(world) {
    const fresh = !choosing;
    choosing = true;
    if (!asked || (asked.label !== undefined && !world.bodies.has(asked.label))) {
      const first = neighbour(world, null, null);
      return first ? askBody(first.label) : ask({ cell: cellOf(world.nodes[0]) });
    }
    if (fresh) return tell();
    if (asked.label !== undefined) return askNode(world.nodes[world.bodies.get(asked.label).node]);
    const node = askedNode(world);
    return askNode(node && node.parent ? node.parent : world.nodes[0]);
  }
  const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  function key(event) {
    const world = here();
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'Enter' && world) enter(world);
    else if (event.key === 'Enter') withoutWorld();
    else if (event.key === 'Escape' && asked && !document.fullscreenElement) ask(null);
    else if (choosing && world && asked && DIRECTIONS[event.key]) step(world, DIRECTIONS[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation(); // the player's keys are other ones
  }

  /// `seek` shows a frame, `again` draws the present one once more.
  function begin(seek, again) {
    go = seek;
    repaint = again;
    if (texts.size === 0) byId('askline').style.display = 'none';
    screen.addEventListener('click', click);
    screen.addEventListener('keydown', key);
    field.addEventListener('input', () => field.value !== '' && askBody(Number(field.value)));
    field.addEventListener('keydown', (event) => event.key === 'Escape' && ask(null));
    byId('askclear').addEventListener('click', () => ask(null));
    tell();
  }
  /// The player shows frame `i` now; while it plays nobody is told aloud.
  function show(i, playing) {
    frame = i;
    panel.setAttribute('aria-live', playing ? 'off' : 'polite');
    tell();
  }
  return { begin, show, paint };
})();
