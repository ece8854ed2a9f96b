// Pens: one drawing, on a canvas for the screen or as SVG for a file. Places are in pixels of the page; a canvas has more of its own where the screen is dense.
//
// A *tile* is a pattern that fills a rectangle: {key, size, ground, lines: [[x1, y1, x2, y2, colour, width]], dots: [[x, y, radius, colour]]}. Tiles with the
// same key are the same. They lie in a grid over the whole picture, so that neighbouring cells have one even pattern.

/** A pen that draws on a canvas. */
function canvasPen(context, density) {
  const patterns = new Map();
  context.setTransform(density, 0, 0, density, 0, 0);
  context.textBaseline = "middle";
  context.lineJoin = context.lineCap = "round";
  const pattern = (tile) => {
    if (!patterns.has(tile.key)) {
      const scale = Math.max(1, Math.round(density)), made = document.createElement("canvas");
      made.width = made.height = tile.size * scale;
      const pen = made.getContext("2d");
      pen.scale(scale, scale);
      drawTile(pen, tile);
      patterns.set(tile.key, context.createPattern(made, "repeat"));
      patterns.get(tile.key).setTransform(new DOMMatrix().scale(1 / scale));
    }
    return patterns.get(tile.key);
  };
  return {
    rect(x, y, w, h, fill) {
      context.fillStyle = fill;
      context.fillRect(x, y, w, h);
    },
    tile(x, y, w, h, tile) {
      context.fillStyle = pattern(tile);
      context.fillRect(x, y, w, h);
    },
    frame(x, y, w, h, stroke, width) {
      context.strokeStyle = stroke;
      context.lineWidth = width;
      context.strokeRect(x, y, w, h);
    },
    line(points, stroke, width, dash = []) {
      context.strokeStyle = stroke;
      context.lineWidth = width;
      context.setLineDash(dash);
      context.beginPath();
      points.forEach(([x, y], i) => (i === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
      context.stroke();
      context.setLineDash([]);
    },
    dot(x, y, radius, fill, stroke = null, width = 1) {
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fillStyle = fill;
      if (fill) context.fill();
      context.strokeStyle = stroke;
      context.lineWidth = width;
      if (stroke) context.stroke();
    },
    text(x, y, text, fill, { size = 12, anchor = "start", bold = false, upright = true } = {}) {
      context.save();
      context.font = `${bold ? "700 " : ""}${size}px ${bold ? "ui-monospace, 'DejaVu Sans Mono', monospace" : "system-ui, 'DejaVu Sans', sans-serif"}`;
      context.textAlign = { start: "left", middle: "center", end: "right" }[anchor];
      context.fillStyle = fill;
      context.translate(x, y);
      if (!upright) context.rotate(-Math.PI / 2);
      context.fillText(legible(text), 0, 0.5);
      context.restore();
    },
  };
}

function drawTile(pen, { size, ground, lines = [], dots = [] }) {
  if (ground) {
    pen.fillStyle = ground;
    pen.fillRect(0, 0, size, size);
  }
  for (const [x1, y1, x2, y2, colour, width] of lines) {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    pen.stroke();
  }
  for (const [x, y, radius, colour] of dots) {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.fill();
  }
}

/** A pen that writes SVG; `finish(width, height, title)` gives the text of the file. */
function svgPen() {
  const tiles = new Map(), made = [];
  const short = (value) => Number(value.toFixed(2));
  const say = (tag, attributes, inside = "") => {
    const written = Object.entries(attributes).filter(([, value]) => value !== null && value !== "").map(([key, value]) => `${key}="${escaped(typeof value === "number" ? short(value) : value)}"`);
    return `<${tag} ${written.join(" ")}${inside === "" ? "/>" : `>${inside}</${tag}>`}`;
  };
  const tileText = (tile, id) => say("pattern", { id, width: tile.size, height: tile.size, patternUnits: "userSpaceOnUse" }, [
    tile.ground ? say("rect", { width: tile.size, height: tile.size, fill: tile.ground }) : "",
    ...(tile.lines ?? []).map(([x1, y1, x2, y2, stroke, width]) => say("line", { x1, y1, x2, y2, stroke, "stroke-width": width })),
    ...(tile.dots ?? []).map(([cx, cy, r, fill]) => say("circle", { cx, cy, r, fill }))].join(""));
  return {
    rect: (x, y, width, height, fill) => made.push(say("rect", { x, y, width, height, fill })),
    tile(x, y, width, height, tile) {
      if (!tiles.has(tile.key)) tiles.set(tile.key, { tile, id: `t${tiles.size}` });
      made.push(say("rect", { x, y, width, height, fill: `url(#${tiles.get(tile.key).id})` }));
    },
    frame: (x, y, width, height, stroke, thick) => made.push(say("rect", { x, y, width, height, fill: "none", stroke, "stroke-width": thick })),
    line: (points, stroke, width, dash = []) => made.push(say("polyline", { points: points.map(([x, y]) => `${short(x)},${short(y)}`).join(" "), fill: "none", stroke,
      "stroke-width": width, "stroke-dasharray": dash.join(" "), "stroke-linejoin": "round" })),
    dot: (cx, cy, r, fill, stroke = null, width = 1) => made.push(say("circle", { cx, cy, r, fill: fill ?? "none", stroke, "stroke-width": stroke ? width : null })),
    text(x, y, text, fill, { size = 12, anchor = "start", bold = false, upright = true } = {}) {
      const transform = `translate(${short(x)} ${short(y)})${upright ? "" : " rotate(-90)"}`;
      made.push(say("text", { transform, dy: "0.35em", "font-size": size, "text-anchor": anchor, "font-family": bold ? "ui-monospace, 'DejaVu Sans Mono', monospace" : "system-ui, 'DejaVu Sans', sans-serif",
        "font-weight": bold ? "700" : null, fill }, escaped(legible(text))));
    },
    finish: (width, height, title) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${short(width)} ${short(height)}" width="${short(width)}" height="${short(height)}">` +
      `<title>${escaped(title)}</title><defs>${[...tiles.values()].map(({ tile, id }) => tileText(tile, id)).join("")}</defs>${made.join("\n")}</svg>\n`,
  };
}

/** Text inside of markup of a file: what has a meaning there is written out, and what XML cannot hold is left out. */
function escaped(text) {
  return String(text).replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "");
}
