// A policy map as a picture to keep: caption, map, run and legend, in the colours of paper whatever the page has.

const FIGURE_WIDTH = 860;

/** Draw the whole figure with a pen; gives its height. */
function drawFigure(pen, { grid, by, down, run, caption }) {
  const palette = mapPalette(grid, by), at = mapGeometry(grid, FIGURE_WIDTH, down), entries = legendEntries(grid, palette);
  const top = 30, size = 16;
  pen.rect(0, 0, FIGURE_WIDTH, 4000, colour("--ground"));
  pen.text(12, 16, clipped(caption, 120), colour("--ink"), { size: 13 });
  const lower = { ...at, top: at.top + top, y: (j) => at.y(j) + top, middle: (i, j) => { const [x, y] = at.middle(i, j); return [x, y + top]; } };
  drawMap(pen, grid, lower, palette);
  if (run) drawRun(pen, run, grid, lower);
  let x = 12, y = top + at.height + 8;
  for (const entry of entries) {
    const text = clipped(entry.text, 90), wide = size * (entry.wide ?? 1) + 8 + text.length * 6.9 + 18;
    if (x > 12 && x + wide > FIGURE_WIDTH) [x, y] = [12, y + 24];
    entry.draw(pen, x, y, size);
    pen.frame(x, y, size * (entry.wide ?? 1), size, colour("--strong"), 0.8);
    pen.text(x + size * (entry.wide ?? 1) + 6, y + size / 2, text, colour("--ink"), { size: 12 });
    x += wide;
  }
  return y + 28;
}

/** Do something while the page has the colours of paper. */
function inLight(make) {
  const root = document.documentElement, before = root.className;
  root.className = "light";
  colours.clear();
  try {
    return make();
  } finally {
    root.className = before;
    colours.clear();
  }
}

function mapAsSvg(figure) {
  return inLight(() => {
    const height = drawFigure(svgPen(), figure); // once to know how high it is, so that its ground ends there
    const pen = svgPen();
    drawFigure({ ...pen, rect: (x, y, w, h, fill) => pen.rect(x, y, w, Math.min(h, height), fill) }, figure);
    return pen.finish(FIGURE_WIDTH, height, figure.caption);
  });
}

/** A promise of a PNG, two pixels for each of the page. */
function mapAsPng(figure) {
  const density = 2, picture = document.createElement("canvas");
  inLight(() => {
    const height = drawFigure(svgPen(), figure);
    picture.width = FIGURE_WIDTH * density;
    picture.height = Math.ceil(height) * density;
    drawFigure(canvasPen(picture.getContext("2d"), density), figure);
  });
  return new Promise((done) => { picture.toBlob(done, "image/png"); });
}
