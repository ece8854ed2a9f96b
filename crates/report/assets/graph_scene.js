// Which groups of states are on the screen: the cut through the level-of-detail tree that the view asks for.
//
// The largest box that may open is opened first, until every box is too small to open or the screen is full. So the number of boxes has a bound whatever the
// size of the graph, and the same view always shows the same boxes. A group with more parts than have room as boxes shows them as *grain*: small squares without
// words, which can still be pointed at and selected.

const MOST_BOXES = 400;
const ROOM_OF_BOX = 4600; // of square pixels that a part needs on average, before a group opens by itself: a short label fits
const MOST_GRAINS = 4000; // in one group, and of all on the screen
const LEAST_SIDE = 14; // of a box that may open: smaller parts could not be told apart

/** What is shown of a graph: the view (world to screen), what was opened and closed by hand, and what follows from them. */
function makeScene(graph) {
  return {
    graph, width: 600, height: 400,
    view: { scale: 1, x: 0, y: 0 },
    detail: null, // the level to which everything is open; null: by size on the screen
    opened: new Set(), closed: new Set(),
    cut: [], groups: [], visible: [], grained: new Set(), crowded: false,
    selected: 0, hovered: -1, hoveredEdge: null,
    edges: [], edgesTotal: 0,
    sought: null, // states looked for: see `foundFrom`
    action: null, // the action looked for
    here: null, // where the concrete state is that is looked at: found likewise
    step: -1, // where on the path
  };
}

/** The view in which a node fills a share of the screen. */
function viewOf({ graph: { tree: { x, y, w, h } }, width, height }, node = 0, share = 0.94) {
  const scale = Math.min((width * share) / w[node], (height * share) / h[node]);
  return { scale, x: x[node] + w[node] / 2 - width / 2 / scale, y: y[node] + h[node] / 2 - height / 2 / scale };
}

/** The view with another scale in which a place of the screen stays where it is; within what makes sense of the graph. */
function zoomedAt({ graph: { tree: { w, h, hi, lo } }, width, height, view }, factor, px, py) {
  const states = hi[0] - lo[0], least = Math.min(width / w[0], height / h[0]) * 0.5;
  const most = states === 1 ? Math.max(least * 4, 200) : Math.max(least * 4, Math.min(width, height) * 0.9); // a single state is a unit square
  const scale = Math.min(most, Math.max(least, view.scale * factor));
  return { scale, x: view.x + px / view.scale - px / scale, y: view.y + py / view.scale - py / scale };
}

/** The rectangle of a node on the screen. */
function boxOf({ graph: { tree }, view }, node) {
  return { x: (tree.x[node] - view.x) * view.scale, y: (tree.y[node] - view.y) * view.scale, w: tree.w[node] * view.scale, h: tree.h[node] * view.scale };
}

function onScreen({ graph: { tree: { x, y, w, h } }, view, width, height }, node) {
  const left = (x[node] - view.x) * view.scale, top = (y[node] - view.y) * view.scale;
  return left < width && top < height && left + w[node] * view.scale > 0 && top + h[node] * view.scale > 0;
}

/** The parts of a group that can be seen. */
function partsOnScreen(scene, node) {
  const { after } = scene.graph;
  const found = [];
  for (let child = node + 1; child < after[node]; child = after[child]) if (onScreen(scene, child)) found.push(child);
  return found;
}

/** Whether a group is to be open: by hand, by the level that was asked for, or as there is room for its parts. */
function shouldOpen(scene, node, area) {
  const { graph, opened, detail } = scene;
  if ((node === 0 && detail === null) || opened.has(node)) return true;
  if (detail === null) return Math.sqrt(area) >= LEAST_SIDE && area / graph.childCount[node] > ROOM_OF_BOX;
  const wanted = graph.tree.level[node + 1] <= detail; // node + 1 is its first part
  if (wanted && Math.sqrt(area) < LEAST_SIDE) scene.crowded = true;
  return wanted && Math.sqrt(area) >= LEAST_SIDE;
}

/** Bring `cut` (closed boxes) and `groups` (open ones, outermost first) in line with the view; whether they changed. */
function recut(scene) {
  const { graph, opened, closed } = scene, { tree, after } = graph;
  const groups = [], cut = [], waiting = [];
  let boxes = 0, grains = 0;
  scene.crowded = false;
  scene.grained.clear();
  const consider = (node) => {
    const seen = onScreen(scene, node), area = tree.w[node] * tree.h[node] * scene.view.scale ** 2;
    if (seen) boxes++;
    if (!seen || isLeaf(graph, node) || closed.has(node) || !shouldOpen(scene, node, area)) cut.push(node);
    else waiting.push({ node, area: opened.has(node) ? Infinity : area });
  };
  consider(0);
  while (waiting.length) {
    let best = 0;
    for (let i = 1; i < waiting.length; i++) if (waiting[i].area > waiting[best].area) best = i;
    const { node } = waiting[best];
    waiting[best] = waiting.at(-1);
    waiting.pop();
    const parts = partsOnScreen(scene, node).length;
    if (boxes - 1 + parts > MOST_BOXES) {
      scene.crowded = true;
      if (parts > MOST_BOXES && grains + parts <= MOST_GRAINS) {
        grains += parts;
        scene.grained.add(node);
      }
      cut.push(node);
      continue;
    }
    groups.push(node);
    boxes--;
    for (let child = node + 1; child < after[node]; child = after[child]) consider(child);
  }
  cut.sort((a, b) => a - b);
  groups.sort((a, b) => a - b);
  const changed = cut.length !== scene.cut.length || cut.some((node, i) => node !== scene.cut[i]);
  Object.assign(scene, { cut, groups, visible: cut.filter((node) => onScreen(scene, node)) });
  return changed;
}

/** Down to which level everything that can be seen is open. */
function shownLevel({ graph, visible }) {
  const closed = visible.filter((node) => !isLeaf(graph, node)).map((node) => graph.tree.level[node + 1] - 1);
  return closed.length ? Math.min(...closed) : graph.levels.length - 1;
}

/** The node under a place on the screen: a closed box before the group around it. */
function nodeAt(scene, px, py) {
  const inside = (node) => {
    const { x, y, w, h } = boxOf(scene, node);
    return px >= x && px <= x + w && py >= y && py <= y + h;
  };
  const box = scene.visible.find(inside) ?? scene.groups.findLast(inside) ?? -1;
  return scene.grained.has(box) ? partsOnScreen(scene, box).find(inside) ?? box : box;
}

/** The place that stays where it is when one zooms in: the pointer, or the next box if it is between boxes, so that nobody ends up in a gap. */
function anchorOf(scene, px, py) {
  let least = Infinity, anchor = [px, py];
  for (const node of scene.visible) {
    const { x, y, w, h } = boxOf(scene, node);
    const near = [Math.min(Math.max(px, x + w * 0.1), x + w * 0.9), Math.min(Math.max(py, y + h * 0.1), y + h * 0.9)];
    const away = Math.max(x - px, px - x - w, y - py, py - y - h, 0);
    if (away === 0) return [px, py];
    if (away < least) [least, anchor] = [away, near];
  }
  return anchor;
}

/** The visible box next to `from` in a direction: near, and rather straight ahead. */
function neighbour(scene, from, dx, dy) {
  const centre = (node) => {
    const { x, y, w, h } = boxOf(scene, node);
    return [x + w / 2, y + h / 2];
  };
  const [fx, fy] = centre(from);
  let best = -1, least = Infinity;
  for (const node of scene.visible.flatMap((box) => (scene.grained.has(box) ? partsOnScreen(scene, box) : box))) {
    if (node === from) continue;
    const [x, y] = centre(node);
    const ahead = (x - fx) * dx + (y - fy) * dy, aside = Math.abs((x - fx) * dy) + Math.abs((y - fy) * dx);
    if (ahead <= 1 || ahead + 2 * aside >= least) continue;
    least = ahead + 2 * aside;
    best = node;
  }
  return best;
}

/** The box (or grain) that stands for a node now: itself, the closed group that it is in, or itself if it is open. */
function standsFor({ graph: { tree: { lo, hi }, parent }, cut, grained }, node) {
  let [first, last] = [0, cut.length - 1]; // boxes of the cut are in the order of their states
  while (first < last) {
    const middle = (first + last) >> 1;
    if (hi[cut[middle]] <= lo[node]) first = middle + 1; else last = middle;
  }
  const box = cut[first];
  if (box === undefined || lo[box] > lo[node] || hi[node] > hi[box] || node < box) return node;
  if (!grained.has(box)) return box;
  let grain = node;
  while (grain !== box && parent[grain] !== box) grain = parent[grain];
  return grain;
}

/** Open a group by hand, and all that it is in. */
function openNode(scene, node) {
  for (const each of pathTo(scene.graph, node)) {
    scene.closed.delete(each);
    if (!isLeaf(scene.graph, each)) scene.opened.add(each);
  }
}

/** Close a group by hand; what was opened in it is forgotten. */
function closeNode(scene, node) {
  const last = scene.graph.after[node];
  for (const each of [...scene.opened]) if (each >= node && each < last) scene.opened.delete(each);
  scene.closed.add(node);
}
