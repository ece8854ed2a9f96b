// The viewer of one graph: a canvas, what is shown on it, and when it is drawn again.
//
// It draws once per frame of the screen at most, and only if something changed. What is costly for big graphs (counting the moves between the boxes, the table)
// waits until the view has come to rest: `settle`. Who shows more of the graph beside the picture listens with `on`: "select", "settle", "graph", "step".

const REST = 140; // milliseconds without a change of the view, after which it counts as at rest
const GLIDE = 12; // frames from one view to another

function makeViewer() {
  const canvas = el("canvas", { tabindex: 0, role: "application", "aria-label": "The graph as nested boxes. Arrow keys walk between boxes, Enter opens a group, Backspace closes it." });
  const viewer = { canvas, scene: null, heard: new Map(), frame: 0, resting: 0, glide: null, moved: true };
  viewer.pen = canvas.getContext("2d");
  viewer.hits = document.createElement("canvas").getContext("2d"); // for asking what lies under the pointer: it knows of no pixels
  new ResizeObserver(() => resizeViewer(viewer)).observe(canvas);
  return viewer;
}

function onViewer(viewer, event, told) {
  viewer.heard.set(event, [...(viewer.heard.get(event) ?? []), told]);
}

function tellViewer(viewer, event) {
  for (const told of viewer.heard.get(event) ?? []) told(viewer.scene);
}

/** Show another graph in place of the one shown. */
function showGraph(viewer, graph) {
  const before = viewer.scene;
  viewer.scene = makeScene(graph);
  if (before) Object.assign(viewer.scene, { width: before.width, height: before.height });
  viewer.scene.view = viewOf(viewer.scene);
  viewer.glide = null;
  viewer.untouched = true; // until someone moves it, it fits the canvas whatever its size
  viewChanged(viewer);
  settle(viewer);
  tellViewer(viewer, "graph");
  tellViewer(viewer, "select");
}

function resizeViewer(viewer) {
  const { canvas, scene } = viewer, { clientWidth: width, clientHeight: height } = canvas;
  const ratio = Math.min(3, globalThis.devicePixelRatio || 1);
  if (!scene || !width || !height) return;
  const same = canvas.width === Math.round(width * ratio) && canvas.height === Math.round(height * ratio);
  if (same && scene.width === width && scene.height === height) return;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const { view } = scene;
  if (viewer.untouched) {
    Object.assign(scene, { width, height });
    scene.view = viewOf(scene);
  } else { // the middle stays in the middle
    scene.view = { scale: view.scale, x: view.x + (scene.width - width) / 2 / view.scale, y: view.y + (scene.height - height) / 2 / view.scale };
    Object.assign(scene, { width, height });
  }
  viewChanged(viewer);
  drawViewer(viewer); // at once: a canvas that was resized is empty
}

/** Something else is to be drawn, from the same place. */
function requestDraw(viewer) {
  viewer.frame ||= requestAnimationFrame(() => {
    viewer.frame = 0;
    if (viewer.glide) stepGlide(viewer);
    drawViewer(viewer);
  });
}

/** The view or what is open changed: other boxes may be on the screen. */
function viewChanged(viewer) {
  viewer.moved = true;
  clearTimeout(viewer.resting);
  viewer.resting = setTimeout(() => settle(viewer), REST);
  requestDraw(viewer);
}

function drawViewer(viewer) {
  const { scene, pen, canvas } = viewer;
  if (!scene || !canvas.width) return;
  if (viewer.moved) recut(scene);
  viewer.moved = false;
  const ratio = canvas.width / scene.width;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawScene(pen, scene);
}

/** The view is at rest: count the moves between the boxes, and tell those who show what is on the screen. */
function settle(viewer) {
  clearTimeout(viewer.resting);
  if (viewer.moved) recut(viewer.scene);
  viewer.moved = false;
  viewer.scene.hoveredEdge = null;
  countEdges(viewer.scene);
  tellViewer(viewer, "settle");
  requestDraw(viewer);
}

/** Go to a view, by way of those in between unless the person wants nothing to move. */
function glideTo(viewer, view) {
  const { scene } = viewer;
  viewer.untouched = false;
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    scene.view = view;
    viewChanged(viewer);
    return;
  }
  const centre = ({ x, y, scale }) => [x + scene.width / 2 / scale, y + scene.height / 2 / scale];
  viewer.glide = { step: 0, from: scene.view.scale, to: view.scale, start: centre(scene.view), end: centre(view) };
  viewChanged(viewer);
}

function stepGlide(viewer) {
  const { scene, glide } = viewer, { from, to, start, end } = glide;
  const part = ++glide.step / GLIDE, eased = part * part * (3 - 2 * part);
  const scale = from * (to / from) ** eased;
  // Places go in straight lines on the screen if the centre moves as fast as the size of the view changes.
  const way = Math.abs(to / from - 1) < 1e-6 ? eased : (1 / from - 1 / scale) / (1 / from - 1 / to);
  const [x, y] = start.map((each, i) => each + (end[i] - each) * way);
  scene.view = { scale, x: x - scene.width / 2 / scale, y: y - scene.height / 2 / scale };
  if (glide.step >= GLIDE) viewer.glide = null;
  viewChanged(viewer);
}

/** Where the view will be once it has come to rest. */
function restingView({ glide, scene }) {
  return glide ? { scale: glide.to, x: glide.end[0] - scene.width / 2 / glide.to, y: glide.end[1] - scene.height / 2 / glide.to } : scene.view;
}

function zoomViewer(viewer, factor, px = viewer.scene.width / 2, py = viewer.scene.height / 2) {
  viewer.glide = null;
  viewer.untouched = false;
  viewer.scene.view = zoomedAt(viewer.scene, factor, ...(factor > 1 ? anchorOf(viewer.scene, px, py) : [px, py]));
  viewChanged(viewer);
}

function panViewer(viewer, dx, dy) {
  const { view } = viewer.scene;
  viewer.glide = null;
  viewer.untouched = false;
  viewer.scene.view = { scale: view.scale, x: view.x - dx / view.scale, y: view.y - dy / view.scale };
  viewChanged(viewer);
}

/** Select a node; `link` writes it into the address. */
function selectNode(viewer, node, { link = true } = {}) {
  const { scene } = viewer, { tree } = scene.graph;
  if (node < 0) return;
  scene.selected = node;
  if (link) address(`node=${tree.lo[node]}-${tree.hi[node]}`);
  countEdges(scene); // those of the selection are shown even if they are weak
  announce([nodeName(scene.graph, node), sizeText(scene.graph, node), marksText(scene.graph, node)].filter(Boolean).join("; "));
  tellViewer(viewer, "select");
  tell("node", { lo: tree.lo[node], hi: tree.hi[node], state: statesIn(scene.graph, node) === 1 ? tree.lo[node] : null, name: nodeName(scene.graph, node) });
  requestDraw(viewer);
}

/** Bring a node into sight: move as little as will do, and zoom in only if it is too small to be read. */
function revealNode(viewer, node, least = 90) {
  const { scene } = viewer, { tree } = scene.graph;
  const above = scene.graph.parent[node];
  if (above >= 0) openNode(scene, above);
  const view = restingView(viewer), side = Math.min(tree.w[node], tree.h[node]) * view.scale;
  if (side < least) {
    const scale = view.scale * (least / side);
    glideTo(viewer, { scale, x: tree.x[node] + tree.w[node] / 2 - scene.width / 2 / scale, y: tree.y[node] + tree.h[node] / 2 - scene.height / 2 / scale });
    return;
  }
  const room = 12 / view.scale, wide = scene.width / view.scale, high = scene.height / view.scale;
  const within = (at, from, size, whole) => (size + 2 * room > whole ? from + size / 2 - whole / 2 : Math.min(from - room, Math.max(from + size + room - whole, at)));
  const x = within(view.x, tree.x[node], tree.w[node], wide), y = within(view.y, tree.y[node], tree.h[node], high);
  if (x !== view.x || y !== view.y) glideTo(viewer, { scale: view.scale, x, y });
  else viewChanged(viewer);
}

/** Open a group and go to it, so that its parts can be told apart; a single state is gone to. */
function enterNode(viewer, node) {
  if (node < 0) return;
  if (!isLeaf(viewer.scene.graph, node)) openNode(viewer.scene, node);
  glideTo(viewer, viewOf(viewer.scene, node, isLeaf(viewer.scene.graph, node) ? 0.4 : 0.92));
}

/** Close a group; of a closed one or a single state, the group that it is in. Gives the node that was closed. */
function leaveNode(viewer, node) {
  const { scene } = viewer, box = standsFor(scene, node);
  const isOpen = scene.groups.includes(box), closing = isOpen ? box : scene.graph.parent[box];
  if (closing <= 0) {
    glideTo(viewer, viewOf(scene));
    return 0;
  }
  closeNode(scene, closing);
  revealNode(viewer, closing, 40);
  return closing;
}
