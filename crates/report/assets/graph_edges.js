// Moves between the groups on the screen: counted in one pass over all moves, the strongest kept, and led along the borders of the groups they leave and enter.
//
// An edge leaves a group at a gate of its border, on the side where the target lies; all edges that leave a group on one side share its gate, so they run as one
// bundle until they part. Routes are in world coordinates: zooming needs no new ones.

const EDGES_PER_BOX = 3, FEWEST_EDGES = 40, MOST_EDGES = 300; // of the strongest that are drawn

/** Count the moves between the boxes of the cut, and keep the strongest and those of the selected node. */
function countEdges(scene) {
  const { graph, cut, action: wanted, selected } = scene;
  const { offsets, targets, action } = graph.edges, { lo, hi } = graph.tree;
  const owner = new Int32Array(graph.count);
  cut.forEach((node, place) => owner.fill(place, lo[node], hi[node]));
  const visible = cut.map((node) => onScreen(scene, node));
  const ofSelected = cut.map((node) => lo[selected] <= lo[node] && hi[node] <= hi[selected]);
  const counter = new Uint32Array(cut.length), matching = new Uint32Array(cut.length);
  const found = [];
  scene.inside = new Map();
  cut.forEach((node, place) => {
    const touched = [];
    for (let edge = offsets[lo[node]], last = offsets[hi[node]]; edge < last; edge++) {
      const target = owner[targets[edge]];
      if (counter[target]++ === 0) touched.push(target);
      if (action[edge] === wanted) matching[target]++;
    }
    for (const target of touched) {
      if (target === place) scene.inside.set(node, counter[target]);
      else if (visible[place] || visible[target]) {
        const own = selected > 0 && ofSelected[place] !== ofSelected[target];
        found.push({ source: node, target: cut[target], count: counter[target], matching: matching[target], out: own && ofSelected[place], into: own && ofSelected[target] });
      }
      counter[target] = matching[target] = 0;
    }
  });
  scene.edgesTotal = found.length;
  const rank = (edge) => (wanted === null ? edge.count : edge.matching);
  const limit = Math.max(FEWEST_EDGES, Math.min(MOST_EDGES, EDGES_PER_BOX * scene.visible.length));
  const own = strongest(found.filter((edge) => (edge.out || edge.into) && (wanted === null || edge.matching)), limit, rank);
  const others = strongest(found.filter((edge) => !edge.out && !edge.into && (wanted === null || edge.matching)), limit, rank);
  scene.edges = [...others, ...own];
  for (const edge of scene.edges) Object.assign(edge, routeOf(graph, edge.source, edge.target));
}

/** The edges of the highest rank, the strongest last, so that it is drawn over the others. Only those that may be among them are put in order. */
function strongest(edges, limit, rank) {
  const ranks = Float64Array.from(edges, rank).sort(), least = ranks[Math.max(0, ranks.length - limit)];
  return edges.filter((edge) => rank(edge) >= least).sort((a, b) => rank(a) - rank(b) || a.source - b.source || a.target - b.target).slice(-limit);
}

/** The way of an edge as points in the world: gates of the groups it leaves, then of those it enters. */
function routeOf({ tree, parent }, source, target) {
  const leaving = [source], entering = [target];
  // The node with the greater index cannot hold the other one: it climbs, until both are in the same group.
  for (let a = parent[source], b = parent[target]; a !== b;) {
    if (a > b) {
      leaving.push(a);
      a = parent[a];
    } else {
      entering.push(b);
      b = parent[b];
    }
  }
  const side = sideTowards(tree, leaving.at(-1), entering.at(-1));
  const back = { right: "left", left: "right", down: "up", up: "down" }[side];
  // Those to the right and down keep to one half of the border, those back to the other, so that the two can be told apart.
  const share = side === "right" || side === "down" ? 0.42 : 0.62;
  const points = [...leaving.map((node) => gateOf(tree, node, side, share)), ...entering.reverse().map((node) => gateOf(tree, node, back, share))].flat();
  return { points, side, bounds: boundsOf(points) };
}

function sideTowards({ x, y, w, h }, from, to) {
  const overlap = Math.min(x[from] + w[from], x[to] + w[to]) - Math.max(x[from], x[to]);
  if (overlap < 0.3 * Math.min(w[from], w[to])) return x[to] > x[from] ? "right" : "left";
  return y[to] + h[to] / 2 > y[from] + h[from] / 2 ? "down" : "up";
}

/** Where edges cross the border of a node. */
function gateOf({ x, y, w, h }, node, side, share) {
  if (side === "right" || side === "left") return [x[node] + (side === "right" ? w[node] : 0), y[node] + h[node] * share];
  return [x[node] + w[node] * share, y[node] + (side === "down" ? h[node] : 0)];
}

function boundsOf(points) {
  const bounds = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (let i = 0; i < points.length; i += 2) {
    bounds.left = Math.min(bounds.left, points[i]);
    bounds.right = Math.max(bounds.right, points[i]);
    bounds.top = Math.min(bounds.top, points[i + 1]);
    bounds.bottom = Math.max(bounds.bottom, points[i + 1]);
  }
  return bounds;
}

/** Whether any of an edge can be on the screen: curves keep within the bounds of their points. */
function edgeOnScreen({ bounds }, { view, width, height }) {
  return bounds.right >= view.x && bounds.bottom >= view.y && bounds.left <= view.x + width / view.scale && bounds.top <= view.y + height / view.scale;
}

/** Draw the way of an edge into a path: smooth, with the gates as handles. */
function traceEdge(path, { points, side }, view) {
  const at = (i) => [(points[2 * i] - view.x) * view.scale, (points[2 * i + 1] - view.y) * view.scale];
  const last = points.length / 2 - 1;
  const [x0, y0] = at(0);
  path.moveTo(x0, y0);
  if (last === 1) {
    const [x1, y1] = at(1), across = side === "right" || side === "left";
    const bend = across ? (x1 - x0) / 2 : (y1 - y0) / 2;
    path.bezierCurveTo(x0 + (across ? bend : 0), y0 + (across ? 0 : bend), x1 - (across ? bend : 0), y1 - (across ? 0 : bend), x1, y1);
    return;
  }
  for (let i = 1; i < last; i++) {
    const [x, y] = at(i), [nx, ny] = at(i + 1);
    path.quadraticCurveTo(x, y, i === last - 1 ? nx : (x + nx) / 2, i === last - 1 ? ny : (y + ny) / 2);
  }
}

/** Where an edge ends on the screen, and the angle at which. */
function arrowOf({ points, side }, view) {
  const [px, py, ex, ey] = points.slice(-4);
  const straight = { right: 0, down: Math.PI / 2, left: Math.PI, up: -Math.PI / 2 }[side];
  return { x: (ex - view.x) * view.scale, y: (ey - view.y) * view.scale, angle: points.length > 4 ? Math.atan2(ey - py, ex - px) : straight };
}

/** The middle of the way on the screen: where its count stands. */
function middleOf({ points }, view) {
  const last = points.length / 2 - 1, i = Math.floor(last / 2);
  const at = (k) => points[2 * i + k] / 2 + points[2 * i + 2 + k] / 2;
  return { x: (at(0) - view.x) * view.scale, y: (at(1) - view.y) * view.scale };
}

/** The edge that runs within some pixels of a place, the strongest if several do. */
function edgeAt(scene, context, px, py) {
  context.lineWidth = 8;
  const wx = scene.view.x + px / scene.view.scale, wy = scene.view.y + py / scene.view.scale, near = 6 / scene.view.scale;
  return scene.edges.findLast((edge) => {
    const { left, right, top, bottom } = edge.bounds;
    if (wx < left - near || wx > right + near || wy < top - near || wy > bottom + near) return false;
    const path = new Path2D();
    traceEdge(path, edge, scene.view);
    return context.isPointInStroke(path, px, py);
  }) ?? null;
}
