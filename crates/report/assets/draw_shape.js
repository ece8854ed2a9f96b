// The shapes of a drawing as SVG. Each is made for one scene (draw_value.js); its numbers are in units of the drawing, what is made in pixels.

/** All of a list of shapes, put into an element. */
function drawShapes(shapes, scene, into) {
  for (const shape of shapes) {
    const draw = () => {
      if (shape.if !== undefined && !drawValue(shape.if, scene)) return;
      const made = DRAW_KINDS[shape.kind](shape, scene);
      const opacity = shape.opacity === undefined ? null : drawValue(shape.opacity, scene);
      for (const one of made) {
        if (--scene.marks < 0) throw new DrawTooMuch();
        if (opacity !== null) one.setAttribute("opacity", opacity);
        into.append(one);
      }
    };
    // Towers go through their blocks themselves: one block alone does not know where it stands.
    if (shape.for && shape.kind !== "towers") drawTurns(shape.for, scene, draw);
    else draw();
  }
}

/** The numbers of a place in pixels, or null if one of them is none. */
function drawnPlace(shape, scene) {
  const place = shape.place.map((each) => drawValue(each, scene) * scene.unit);
  return place.every(Number.isFinite) ? place.map(drawRounded) : null;
}

const drawRounded = (value) => Math.round(value * 100) / 100;

/** How lines look. */
function drawnStroke(shape, scene, otherwise, width) {
  const { paint } = drawnColour(shape.stroke, scene, otherwise);
  if (paint === "none") return { stroke: "none" };
  const wanted = shape.width === undefined ? width : drawValue(shape.width, scene);
  return { stroke: paint, "stroke-width": drawRounded(wanted * scene.thin), "stroke-dasharray": shape.dash ? "4 3" : null, "stroke-linejoin": "round", "stroke-linecap": "round" };
}

/** An area with what is written on it, in the ink that reads there. */
function drawnArea(shape, scene, tag, attributes, [x, y, width, height]) {
  const fill = drawnColour(shape.fill, scene, "raised");
  const area = svg(tag, { ...attributes, fill: fill.paint, ...drawnStroke(shape, scene, shape.fill === undefined ? "strong" : "none", 1.5) });
  if (!shape.label) return [area];
  const size = shape.size === undefined ? null : drawValue(shape.size, scene) * scene.unit;
  return [area, ...drawnLabel(drawnText(shape.label, scene), x + width / 2, y + height / 2, width, height, fill.ink, size)];
}

/** A text in the middle of a box, as large as fits; none where nobody could read it. */
function drawnLabel(text, x, y, width, height, ink, wanted = null) {
  const size = wanted ?? Math.min(height * 0.62, (width * 1.5) / Math.max(1, text.length), 40);
  return drawnLine(text, x, y, size, { "text-anchor": "middle", fill: ink, "font-weight": 600 });
}

const DRAW_SMALLEST = 6; // pixels: smaller letters are dirt

function drawnLine(text, x, y, size, attributes) {
  if (size < DRAW_SMALLEST || text === "") return [];
  return [svg("text", { x: drawRounded(x), y: drawRounded(y), "font-size": drawRounded(size), "dominant-baseline": "central", ...attributes }, text)];
}

const DRAW_KINDS = {
  rect(shape, scene) {
    const place = drawnPlace(shape, scene);
    if (!place || place[2] < 0 || place[3] < 0) return [];
    const [x, y, width, height] = place;
    return drawnArea(shape, scene, "rect", { x, y, width, height, rx: drawnRound(shape, scene) }, place);
  },
  circle(shape, scene) {
    const [cx, cy, r] = drawnPlace(shape, scene) ?? [0, 0, -1];
    return r < 0 ? [] : drawnArea(shape, scene, "circle", { cx, cy, r }, [cx - r, cy - r, 2 * r, 2 * r]);
  },
  polygon(shape, scene) {
    const place = drawnPlace(shape, scene);
    if (!place) return [];
    const side = (odd) => place.filter((_, n) => n % 2 === odd);
    const [left, top] = [Math.min(...side(0)), Math.min(...side(1))];
    const box = [left, top, Math.max(...side(0)) - left, Math.max(...side(1)) - top];
    return drawnArea(shape, scene, "polygon", { points: place.join(" ") }, box);
  },
  line(shape, scene) {
    const place = drawnPlace(shape, scene);
    return place ? [svg("polyline", { points: place.join(" "), fill: "none", ...drawnStroke(shape, scene, "ink", 2) })] : [];
  },
  arrow(shape, scene) {
    const place = drawnPlace(shape, scene);
    if (!place) return [];
    const [x, y, toX, toY] = place;
    const length = Math.hypot(toX - x, toY - y);
    if (length < 1) return []; // it points nowhere
    const stroke = drawnStroke(shape, scene, "ink", 2);
    const [dx, dy] = [(toX - x) / length, (toY - y) / length];
    const head = Math.min(length, Math.max(5, 4.5 * (stroke["stroke-width"] ?? 0)));
    const corner = (side) => [toX - head * dx - side * head * 0.45 * dy, toY - head * dy + side * head * 0.45 * dx].map(drawRounded);
    const [endX, endY] = [toX - head * 0.8 * dx, toY - head * 0.8 * dy].map(drawRounded);
    return [
      svg("polyline", { points: [x, y, endX, endY].join(" "), fill: "none", ...stroke }),
      svg("polygon", { points: [toX, toY, ...corner(1), ...corner(-1)].join(" "), fill: stroke.stroke }),
    ];
  },
  text(shape, scene) {
    const place = drawnPlace(shape, scene);
    if (!place) return [];
    const size = (shape.size === undefined ? 12 : drawValue(shape.size, scene) * scene.unit);
    const anchor = { left: "start", right: "end" }[shape.align] ?? "middle";
    const fill = drawnColour(shape.fill, scene, "ink").paint;
    return drawnLine(drawnText(shape.text, scene), ...place, size, { "text-anchor": anchor, fill, "font-weight": shape.bold ? 700 : null });
  },
  group(shape, scene) {
    const place = drawnPlace(shape, scene);
    if (!place) return [];
    const turn = shape.turn === undefined ? 0 : drawValue(shape.turn, scene);
    const made = svg("g", { transform: `translate(${place.join(" ")})${turn ? ` rotate(${drawRounded(turn)})` : ""}` });
    drawShapes(shape.shapes, scene, made);
    return [made];
  },
  grid: drawGrid,
  towers: drawTowers,
};

function drawnRound(shape, scene) {
  return shape.round === undefined ? null : drawRounded(drawValue(shape.round, scene) * scene.unit);
}

/** A map of characters. Cells of one kind are one path: a map of thousands takes a handful of elements. Lines between cells lie under the colours. */
function drawGrid(shape, scene) {
  const place = drawnPlace(shape, scene);
  if (!place) return [];
  const [left, top] = place;
  const [width, height] = shape.cell.map((side) => side * scene.unit);
  const rows = shape.rows.map((row) => [...row]);
  const paths = new Map(), labels = [];
  rows.forEach((row, y) => {
    for (let x = 0, end; x < row.length; x = end) {
      end = x + 1;
      while (end < row.length && row[end] === row[x]) end++;
      const look = Object.hasOwn(shape.legend, row[x]) ? shape.legend[row[x]] : null;
      if (!look) continue;
      const [from, to] = [x, end].map((each) => drawRounded(left + each * width));
      const [above, below] = [y, y + 1].map((each) => drawRounded(top + each * height));
      paths.set(row[x], `${paths.get(row[x]) ?? ""}M${from} ${above}H${to}V${below}H${from}Z`);
      for (let each = x; look.label && each < end; each++) labels.push([look, left + (each + 0.5) * width, top + (y + 0.5) * height]);
    }
  });
  const wide = Math.min(width, height) >= 6; // between narrower cells lines would be all that is seen
  const made = shape.stroke !== undefined && wide ? [drawnGridLines(shape, scene, rows, left, top, width, height)] : [];
  for (const [character, d] of paths) {
    const { fill } = shape.legend[character];
    if (fill) made.push(svg("path", { d, fill: drawnColour(fill, scene).paint }));
  }
  for (const [look, x, y] of labels.slice(0, DRAW_MARKS)) {
    made.push(...drawnLabel(drawnText(look.label, scene), x, y, width, height, drawnColour(look.fill, scene, "ground").ink));
  }
  return made;
}

function drawnGridLines(shape, scene, rows, left, top, width, height) {
  const columns = Math.max(...rows.map((row) => row.length), 0);
  const [right, bottom] = [left + columns * width, top + rows.length * height].map(drawRounded);
  let d = "";
  for (let x = 0; x <= columns; x++) d += `M${drawRounded(left + x * width)} ${top}V${bottom}`;
  for (let y = 0; y <= rows.length; y++) d += `M${left} ${drawRounded(top + y * height)}H${right}`;
  return svg("path", { d, fill: "none", ...drawnStroke(shape, scene, "faint", 1) });
}

const DRAW_BLOCKS = 200; // of towers

/** Towers: each block stands on the one that it names, so its place follows from the chain below it. Blocks that stand on the same one share its width. */
function drawTowers(shape, scene) {
  const place = drawnPlace(shape, scene);
  if (!place) return [];
  const [left, floor, width, height] = place;
  const step = width + (shape.gap === undefined ? width * 0.25 : drawValue(shape.gap, scene) * scene.unit);
  const above = new Map();
  let count = 0;
  drawTurns(shape.for, scene, (block) => {
    if (++count > DRAW_BLOCKS) throw new DrawTooMuch();
    const below = drawValue(shape.on, scene);
    above.set(below, [...(above.get(below) ?? []), block]);
  });
  const [slot, from] = shape.for, first = drawValue(from, scene), made = [], round = drawnRound(shape, scene);
  const put = (block, x, y, wide) => {
    scene.indices[slot] = block;
    // A little smaller than its place: so its outline is seen on all sides.
    const box = [x + 0.02 * wide, y + 0.02 * height, 0.96 * wide, 0.96 * height];
    const [boxX, boxY, boxWidth, boxHeight] = box.map(drawRounded);
    made.push(...drawnArea(shape, scene, "rect", { x: boxX, y: boxY, width: boxWidth, height: boxHeight, rx: round }, box));
    const on = above.get(block) ?? [];
    on.forEach((next, n) => put(next, x + (n * wide) / on.length, y - height, wide / on.length));
  };
  // From the ground up: blocks that stand on each other in a circle are reached from nowhere, and are left out.
  for (const block of above.get(-1) ?? []) put(block, left + (block - first) * step, floor, width);
  return made;
}
