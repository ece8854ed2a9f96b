// The moves in the picture: bundled edges with arrow heads and counts, and the path over them.
//
// The width of an edge tells how many moves it stands for (by powers of two). Edges of one kind and width are one path: some hundred cost as much as a few.

const EDGE_COUNTS = 60; // so many counts are written at most

const edgeWidth = (count, most) => Math.max(0.5, Math.min(most, Math.round(2 + Math.log2(count)) / 2));

/** What kind of edge: those that leave and enter the selection are told apart by colour and dashes. */
function edgeKind(scene, edge) {
  if (edge === scene.hoveredEdge) return "hovered";
  if (edge.out) return "out";
  if (edge.into) return "into";
  return scene.action !== null ? "matching" : "plain";
}

function edgeStyles(scene, inks) {
  return {
    plain: { ink: inks.soft, alpha: scene.selected > 0 ? 0.2 : 0.45, dash: [] },
    matching: { ink: inks.link, alpha: 0.8, dash: [] },
    out: { ink: inks.focus, alpha: 0.85, dash: [] },
    into: { ink: inks.plain, alpha: 0.85, dash: [5, 3] },
    hovered: { ink: inks.ink, alpha: 1, dash: [] },
  };
}

/** The edges of some kinds, in their order. */
function drawEdges(pen, scene, inks, kinds) {
  const { view } = scene, styles = edgeStyles(scene, inks), bundles = new Map(), most = widestEdge(scene);
  for (const edge of scene.edges) {
    if (!edgeOnScreen(edge, scene)) continue;
    const kind = edgeKind(scene, edge);
    if (!kinds.includes(kind)) continue;
    const width = edgeWidth(edge.count, most), key = `${kind} ${width}`;
    if (!bundles.has(key)) bundles.set(key, { kind, width, edges: [] });
    bundles.get(key).edges.push(edge);
  }
  const sorted = [...bundles.values()].sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || a.width - b.width);
  for (const { kind, width, edges } of sorted) {
    const { ink, alpha, dash } = styles[kind];
    pen.globalAlpha = alpha;
    pen.strokeStyle = pen.fillStyle = ink;
    pen.lineWidth = kind === "hovered" ? width + 2 : width;
    pen.setLineDash(dash);
    pen.beginPath();
    for (const edge of edges) traceEdge(pen, edge, view);
    pen.stroke();
    pen.setLineDash([]);
    pen.beginPath();
    for (const edge of edges) traceArrow(pen, arrowOf(edge, view), 3 + width * 1.8);
    pen.fill();
  }
  pen.globalAlpha = 1;
}

/** Between small boxes there is room for thin lines only: a twentieth of the side of the middle one. */
function widestEdge({ graph: { tree }, visible, view }) {
  if (visible.length === 0) return 4;
  const sides = Float64Array.from(visible, (node) => Math.min(tree.w[node], tree.h[node]) * view.scale).sort();
  return Math.max(1, Math.min(4.5, Math.round(sides[sides.length >> 1] / 10) / 2));
}

function traceArrow(pen, { x, y, angle }, size) {
  const [c, s] = [Math.cos(angle) * size, Math.sin(angle) * size];
  pen.moveTo(x, y);
  pen.lineTo(x - c - s * 0.45, y - s + c * 0.45);
  pen.lineTo(x - c + s * 0.45, y - s - c * 0.45);
  pen.closePath();
}

/** How many moves the strongest edges stand for, where that is not written over another count, a title or a box. */
function writeCounts(pen, scene, inks) {
  const titles = scene.groups.map((node) => titleOf(scene, node)).filter(Boolean);
  const taken = titles.map(({ left, middle, size, wide }) => ({ x: left + wide / 2, y: middle, half: wide / 2, tall: size * 0.6 })), most = taken.length + EDGE_COUNTS, boxes = scene.visible.map((node) => boxOf(scene, node));
  for (let i = scene.edges.length - 1; i >= 0 && taken.length < most; i--) {
    const edge = scene.edges[i];
    if (edge.count < 2 || !edgeOnScreen(edge, scene)) continue;
    const { bounds } = edge, { x, y } = middleOf(edge, scene.view);
    const long = Math.max(bounds.right - bounds.left, bounds.bottom - bounds.top) * scene.view.scale > 26;
    if (!long || x < 0 || y < 0 || x > scene.width || y > scene.height) continue;
    const text = number(edge.count), half = (widthOfText(text) * 10) / 24 + 3;
    if (boxes.some((box) => x > box.x - half && x < box.x + box.w + half && y > box.y && y < box.y + box.h) || !takesPlace(taken, x, y, half, 7)) continue;
    pen.globalAlpha = 0.85;
    pen.fillStyle = inks.ground;
    pen.fillRect(x - half, y - 7, 2 * half, 14);
    pen.globalAlpha = 1;
    pen.fillStyle = inks.ink;
    writeText(pen, text, x, y, 200, 10, { align: "center" });
  }
}

/** Whether a text has a place of its own among those written; then it takes it. */
function takesPlace(taken, x, y, half, tall) {
  if (taken.some((other) => Math.abs(other.x - x) < other.half + half && Math.abs(other.y - y) < other.tall + tall)) return false;
  taken.push({ x, y, half, tall });
  return true;
}

/** The path: from box to box, with the numbers of its steps where there is room for them. */
function drawPath(pen, scene, inks) {
  const { graph, step } = scene;
  if (!graph.path || graph.path.length < 2 && step < 0) return;
  const stops = pathStops(scene);
  pen.strokeStyle = pen.fillStyle = inks.open;
  pen.lineWidth = 2.5;
  pen.globalAlpha = 0.8;
  pen.beginPath();
  stops.forEach(({ x, y }, i) => (i === 0 ? pen.moveTo(x, y) : pen.lineTo(x, y)));
  pen.stroke();
  pen.beginPath();
  stops.forEach((stop, i) => {
    const before = stops[i - 1];
    // The head stands in the middle of its line: at its end, the box of the next step would hide where it comes from.
    if (before) traceArrow(pen, { x: (stop.x + before.x) / 2 + 0.1, y: (stop.y + before.y) / 2, angle: Math.atan2(stop.y - before.y, stop.x - before.x) }, 11);
  });
  pen.fill();
  pen.globalAlpha = 1;
  const isNow = ({ first, last }) => step >= first && step <= last, taken = [];
  for (const stop of stops.filter(isNow).concat(stops.filter((each) => !isNow(each)))) {
    const { x, y, first, last } = stop, now = isNow(stop), text = first === last ? String(first) : `${first}–${last}`;
    const half = Math.max(9, (widthOfText(text) * 11) / 24 + 4);
    if (!takesPlace(taken, x, y, half, 8)) continue;
    pen.fillStyle = now ? inks.open : inks.ground;
    pen.strokeStyle = inks.open;
    pen.lineWidth = 1.5;
    pen.fillRect(x - half, y - 8, 2 * half, 16);
    pen.strokeRect(x - half, y - 8, 2 * half, 16);
    pen.fillStyle = now ? inks.ground : inks.ink;
    writeText(pen, text, x, y, 200, 11, { align: "center", weight: "700" });
  }
}

/** Where the path goes on the screen; steps that stay in one box are one stop. */
function pathStops(scene) {
  const { graph } = scene, stops = [];
  graph.pathNodes ??= graph.path.map((state) => nodeOf(graph, state, state + 1));
  graph.pathNodes.forEach((node, step) => {
    const box = standsFor(scene, node);
    if (stops.at(-1)?.box === box) stops.at(-1).last = step;
    else {
      const { x, y, w, h } = boxOf(scene, box);
      stops.push({ box, first: step, last: step, x: x + w * 0.85, y: y + h }); // at the side: words stand in the middle
    }
  });
  return stops;
}
