// The picture of a scene: groups that are open as frames with a title, closed ones and single states as boxes with what tells them apart.
//
// All is drawn with the few calls that a canvas and the pen of `graph_pen.js` have in common, so that the picture on the screen is the one that is saved. What
// colours say is also said by symbols and words. Text is cut to the room that it has.

const GRAPH_FONT = 'system-ui, "DejaVu Sans", sans-serif';

/** Draw all of a scene. `pen` is a canvas context or the like. */
function drawScene(pen, scene) {
  const inks = inksOf();
  pen.globalAlpha = 1;
  pen.fillStyle = inks.ground;
  pen.fillRect(0, 0, scene.width, scene.height);
  pen.textBaseline = "middle";
  for (const node of scene.groups) if (onScreen(scene, node)) drawGroup(pen, scene, node, inks);
  // Edges that nobody asked for run behind the boxes, so that words stay readable.
  drawEdges(pen, scene, inks, ["plain"]);
  for (const node of scene.groups) if (onScreen(scene, node)) drawTitle(pen, scene, titleOf(scene, node), inks);
  for (const node of scene.visible) drawBox(pen, scene, node, inks);
  drawEdges(pen, scene, inks, ["matching", "into", "out", "hovered"]);
  writeCounts(pen, scene, inks);
  drawPath(pen, scene, inks);
  drawOutlines(pen, scene, inks);
}

/** The colours of the theme that a picture needs throughout. */
function inksOf() {
  return Object.fromEntries(["ground", "raised", "line", "strong", "ink", "soft", "link", "focus", "here", "open", "open-ground", "plain", "bad"].map((key) => [key, colour(`--${key}`)]));
}

// Colours of values.

/** Where a value lies between nothing and the largest of the graph, 0 to 1; in powers of ten where small ones matter. */
function valueShare(graph, value) {
  graph.valueScale ??= makeValueScale(graph);
  const { most, least, log } = graph.valueScale;
  if (value <= 0 || most <= 0) return 0;
  return log ? Math.max(0.04, 1 - (1 - 0.04) * (Math.log(value / most) / Math.log(least / most))) : value / most;
}

function makeValueScale({ value, highest }) {
  const most = highest[0];
  let least = most;
  for (const each of value) if (each > 0 && each < least) least = each;
  return { most, least: Math.max(least, most * 1e-12), log: least < most / 200 };
}

function valueRgb(graph, value) {
  const from = rgb("--plain-ground"), to = rgb("--bad"), share = valueShare(graph, value);
  return from.map((each, i) => Math.round(each + (to[i] - each) * share));
}

/** What a box is filled with, and the ink on it: by its value, or by its mark. A group has that of its marks only if all its states have it. */
function fillOf(graph, node, inks) {
  if (graph.value) {
    const mixed = valueRgb(graph, graph.highest[node]);
    return { fill: `rgb(${mixed})`, ink: inkOn(mixed) };
  }
  const size = statesIn(graph, node), mark = NODE_MARKS.find(({ bit }) => countIn(graph, bit, node) === size);
  return { fill: mark ? colour(mark.ground) : inks.raised, ink: inks.ink };
}

// Text in a given room.

const textWidths = new Map();
let textMeasure = null;

/** The width of a text at 12 pixels. */
function widthOfText(text) {
  if (!textWidths.has(text)) {
    if (textWidths.size > 20000) textWidths.clear();
    textMeasure ??= document.createElement("canvas").getContext("2d");
    textMeasure.font = `12px ${GRAPH_FONT}`;
    textWidths.set(text, textMeasure.measureText(text).width);
  }
  return textWidths.get(text);
}

/** As much of a text as has room at a size; "" if not even four letters have. Neighbours differ in the end of a predicate as often as in its beginning: the middle goes. */
function fitText(text, room, size) {
  const width = (widthOfText(text) * size) / 12;
  if (width <= room) return text;
  const letters = Math.floor((text.length * (room - size)) / width), tail = Math.ceil(letters / 2);
  return letters < 4 ? "" : `${text.slice(0, letters - tail).trimEnd()}…${text.slice(-tail).trimStart()}`;
}

/** The largest of some sizes in which the longest of some texts has room; the smallest if none is. */
function sizeFor(texts, room, sizes) {
  const width = Math.max(...texts.map(widthOfText));
  return sizes.find((size) => (width * size) / 12 <= room) ?? sizes.at(-1);
}

function writeText(pen, text, x, y, room, size, { align = "left", weight = "" } = {}) {
  const fitting = fitText(text, weight ? room / 1.12 : room, size); // widths are measured in the plain weight
  if (!fitting) return;
  pen.font = `${weight} ${size}px ${GRAPH_FONT}`.trim();
  pen.textAlign = align;
  pen.fillText(fitting, x, y);
}

// Groups and boxes.

/** An open group: a frame. */
function drawGroup(pen, scene, node, inks) {
  const { x, y, w, h } = boxOf(scene, node);
  pen.fillStyle = inks.ground;
  pen.fillRect(x, y, w, h);
  pen.strokeStyle = inks.strong;
  pen.lineWidth = 1;
  pen.strokeRect(x, y, w, h);
}

/** The title of an open group, in the band above its parts, which stays in sight while any of the band is; null if there is no room. */
function titleOf(scene, node) {
  const { graph } = scene, { x, y, w, h } = boxOf(scene, node), band = h * 0.12;
  if (band < 8 || w < 36 || y + band < 8) return null;
  const size = Math.min(14, Math.max(9, band * 0.7)), left = Math.max(x, 0) + 5, right = Math.min(x + w, scene.width) - 5;
  const middle = Math.min(Math.max(y, 0) + Math.min(band / 2, size), y + band - size / 2);
  const text = nodeName(graph, node), count = number(statesIn(graph, node)), counted = (widthOfText(count) * size) / 12 + 8, both = right - left - counted > 40;
  const room = right - left - (both ? counted : 0);
  return { text, count: both ? count : null, size, left, right, middle, room, wide: Math.min(room, (widthOfText(text) * size * 1.12) / 12) };
}

/** Edges run under the words of a title. */
function drawTitle(pen, scene, title, inks) {
  if (!title) return;
  const { text, count, size, left, right, middle, room, wide } = title;
  pen.globalAlpha = 0.8;
  pen.fillStyle = inks.ground;
  pen.fillRect(left - 2, middle - size * 0.6, wide + 4, size * 1.2);
  pen.globalAlpha = 1;
  pen.fillStyle = inks.soft;
  writeText(pen, text, left, middle, room, size, { weight: "600" });
  if (count) writeText(pen, count, right, middle, right - left, size, { align: "right" });
}

/** A closed group (a double border: there is something in it) or a single state. */
function drawBox(pen, scene, node, inks) {
  const { graph, sought } = scene, { x, y, w, h } = boxOf(scene, node), leaf = isLeaf(graph, node);
  const { fill, ink } = fillOf(graph, node, inks), marks = marksOf(graph, node);
  const found = sought ? sumIn(graph, sought.sum, node) : 0;
  pen.globalAlpha = sought && !found ? 0.4 : 1;
  pen.fillStyle = fill;
  pen.fillRect(x, y, w, h);
  pen.strokeStyle = graph.value ? inks.strong : marks.length && leaf ? colour(marks[0].colour) : inks.strong;
  pen.lineWidth = leaf && marks.length ? 2 : 1;
  if (leaf && graph.marks[graph.tree.lo[node]] & NODE_UNEXPANDED) pen.setLineDash([4, 3]);
  pen.strokeRect(x, y, w, h);
  pen.setLineDash([]);
  if (!leaf && w > 16 && h > 16) {
    pen.lineWidth = 1;
    pen.strokeRect(x + 2.5, y + 2.5, w - 5, h - 5);
  }
  if (scene.grained.has(node)) {
    drawGrain(pen, scene, node, inks);
    return;
  }
  pen.fillStyle = ink;
  if (w >= 34 && h >= 16) writeBox(pen, scene, node, { x, y, w, h }, marks, found);
  else if (marks.length && w >= 8 && h >= 8) writeText(pen, marks[0].symbol, x + w / 2, y + h / 2, w, Math.min(12, h - 1), { align: "center", weight: "700" });
  pen.globalAlpha = 1;
}

/** The parts of a group that are too many for boxes: squares in the colours of their marks, or of their values. */
function drawGrain(pen, scene, node, inks) {
  const { graph, sought } = scene;
  for (const part of partsOnScreen(scene, node)) {
    const { x, y, w, h } = boxOf(scene, part), mark = NODE_MARKS.find(({ bit }) => countIn(graph, bit, part) > 0);
    pen.globalAlpha = sought && !sumIn(graph, sought.sum, part) ? 0.3 : 1;
    pen.fillStyle = sought && sumIn(graph, sought.sum, part) ? inks.link : graph.value ? fillOf(graph, part, inks).fill : mark ? colour(mark.colour) : inks.line;
    pen.fillRect(x, y, w, h);
  }
  pen.globalAlpha = 1;
}

/** What stands in a box, as far as there is room: the marks, what tells it apart, its value, its size. */
function writeBox(pen, { graph, sought }, node, { x, y, w, h }, marks, found) {
  const count = statesIn(graph, node), room = w - 8, own = nodeLines(graph, node), last = [];
  const size = sizeFor(own, room, h < 24 ? [9] : [12, 11, 10, 9]), fits = (text) => widthOfText(text) * size <= room * 12;
  // Half a number says something else than the number: it is written in full or not at all.
  const offer = (...texts) => last.push(...texts.filter(fits).slice(0, 1));
  if (graph.value) offer(...[3, 2, 1].map((digits) => `≤ ${number(roundedUp(graph.highest[node], digits))}`));
  if (count > 1) offer(sought ? `${number(found)} of ${number(count)} found` : sizeText(graph, node), number(sought ? found : count));
  const counted = marks.map((mark) => (count > 1 ? `${mark.symbol} ${number(mark.count)}` : mark.symbol)).join("  ");
  const symbols = fits(counted) ? counted : marks.map((mark) => mark.symbol).join(" ");
  const most = Math.max(1, Math.floor((h - 3) / (size + 3)));
  if (most === 1) { // one line: the most important mark and what tells the box apart
    writeText(pen, `${marks.length ? `${marks[0].symbol} ` : ""}${own[0]}`, x + w / 2, y + h / 2, room, size, { align: "center" });
    return;
  }
  // The end of a long list is worth less than the value and the size: it gives way to them, but not all of it.
  const free = most - (symbols ? 1 : 0), ends = last.slice(0, Math.max(0, free - 1));
  const lines = [...own.slice(0, free - ends.length), ...ends], total = lines.length + (symbols ? 1 : 0);
  let at = y + h / 2 - ((total - 1) * (size + 3)) / 2;
  const line = (text, weight) => {
    writeText(pen, text, x + w / 2, at, weight ? w : room, size, { align: "center", weight });
    at += size + 3;
  };
  if (symbols) line(symbols, "700");
  for (const text of lines) line(text, "");
}

/** Outlines of what was looked for, of where the concrete state is, of what is under the pointer, and of what is selected. */
function drawOutlines(pen, scene, inks) {
  const { graph, sought, here, hovered, selected } = scene;
  const outline = (node, ink, width, grow) => {
    const { x, y, w, h } = boxOf(scene, node);
    pen.strokeStyle = ink;
    pen.lineWidth = width;
    pen.strokeRect(x - grow, y - grow, w + 2 * grow, h + 2 * grow);
  };
  if (sought) for (const node of scene.visible) if (sumIn(graph, sought.sum, node)) outline(node, inks.link, 2, 1);
  if (here?.count) for (const node of scene.visible) if (sumIn(graph, here.sum, node)) drawHere(pen, boxOf(scene, node), inks);
  if (hovered >= 0) outline(hovered, inks.ink, 1.5, 0);
  if (selected > 0) outline(standsFor(scene, selected), inks.focus, 3, 1);
}

/** A corner of the box that the concrete state is in. */
function drawHere(pen, { x, y, w, h }, inks) {
  const size = Math.min(8, w / 3, h / 3);
  pen.beginPath();
  pen.moveTo(x + w, y);
  pen.lineTo(x + w - 2 * size, y);
  pen.lineTo(x + w, y + 2 * size);
  pen.closePath();
  pen.fillStyle = inks.link;
  pen.fill();
}
