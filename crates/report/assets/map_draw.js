// The picture of a policy map: cells with colours, shades, glyphs and patterns, axes, and the run over it. The same for the screen, PNG and SVG.
//
// Nothing rests on colour alone: an action has its glyph where cells are large enough, a mark its pattern at any size, a tie its stripes.

const SHADE_LEVELS = 5, VALUE_LEVELS = 12;
const GLYPH_FROM = 11; // the least size of a cell in which a glyph can be read

/** Where things are: cells are `cw` by `ch`, the first column is at `left`. Rows go up, as in a diagram, or down. */
function mapGeometry(grid, width, down) {
  const [nx, ny] = [grid.xs.values.length, grid.ys.values.length];
  const longest = Math.max(...grid.ys.values.map((_, i) => columnText(grid.ys, i).length));
  const left = Math.min(26 + longest * 7, width * 0.3), right = 12, top = 10, bottom = 46;
  const room = width - left - right;
  const most = Math.max(46, Math.min(84, 420 / Math.max(nx, ny)));
  let cw = Math.min(most, room / nx), ch = Math.min(most, Math.max(1.5, 600 / ny));
  // Square, but a map of few rows or columns does not become a thread.
  const side = Math.min(cw, ch);
  [cw, ch] = [Math.min(cw, Math.max(side, 320 / nx)), Math.min(ch, Math.max(side, 160 / ny))];
  const row = (j) => (down ? j : ny - 1 - j);
  return {
    nx, ny, cw, ch, left, top, width, height: top + Math.ceil(ny * ch) + bottom, down,
    x: (i) => left + Math.round(i * cw), y: (j) => top + Math.round(row(j) * ch),
    w: (i) => Math.round((i + 1) * cw) - Math.round(i * cw), h: (j) => Math.round((row(j) + 1) * ch) - Math.round(row(j) * ch),
    middle: (i, j) => [left + (i + 0.5) * cw, top + (row(j) + 0.5) * ch],
    cellAt(px, py) {
      const [i, at] = [Math.floor((px - left) / cw), Math.floor((py - top) / ch)];
      return i < 0 || at < 0 || i >= nx || at >= ny ? -1 : row(at) * nx + i;
    },
  };
}

function mixed(one, other, share) {
  return one.map((each, k) => Math.round(each * share + other[k] * (1 - share)));
}

function rgbText([red, green, blue]) {
  return `rgb(${red}, ${green}, ${blue})`;
}

/** Which margin has the full shade: one that only a twentieth of the cells exceed, so that one huge margin does not make all others pale. It is infinite where no other action is possible. */
function fullMargin(grid) {
  const known = (grid.margin ?? []).filter((margin) => margin > 0 && margin < Infinity);
  return known.length === 0 ? 0 : Float32Array.from(known).sort()[Math.floor((known.length - 1) * 0.95)];
}

/** The colours of cells for a way of colouring, and what the legend needs. */
function mapPalette(grid, by) {
  const ground = rgb("--ground"), full = fullMargin(grid);
  const shade = (level) => 0.3 + (0.7 * (level + 1)) / SHADE_LEVELS;
  const levelOf = (margin) => (full === 0 || !(margin >= 0) ? SHADE_LEVELS - 1 : Math.max(0, Math.min(SHADE_LEVELS - 1, Math.ceil(SHADE_LEVELS * Math.sqrt(margin / full)) - 1)));
  const values = grid.value ? Array.from(grid.value).filter((value) => value >= 0) : [];
  const range = values.length > 0 ? [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))] : [0, 1];
  const small = values.filter((value) => value > 0).reduce((a, b) => Math.min(a, b), 1);
  // Probabilities that differ by orders of magnitude are told apart by these.
  const log = range[1] / small > 500;
  const share = (value) => {
    if (range[1] === range[0]) return value > 0 ? 1 : 0;
    if (!log) return (value - range[0]) / (range[1] - range[0]);
    return value <= 0 ? 0 : 0.1 + 0.9 * (Math.log(value / small) / Math.log(range[1] / small));
  };
  const made = new Map();
  const once = (key, make) => {
    if (!made.has(key)) made.set(key, make());
    return made.get(key);
  };
  const actionAt = (action, level) => once(action * SHADE_LEVELS + level, () => mixed(rgb(actionVariable(action)), ground, shade(level)));
  const markAt = (mark) => once(-1 - mark, () => mixed(rgb(MARKS[mark]?.colour ?? "--unknown"), ground, 0.75));
  const valueAt = (value) => {
    const level = Math.round(share(value) * VALUE_LEVELS);
    return once(-100 - level, () => mixed(rgb("--bad"), ground, 0.06 + (0.94 * level) / VALUE_LEVELS));
  };
  return {
    by, full, range, actionAt, markAt, valueAt,
    /** The plain colour of a cell, always the same array for the same colour; null: it is drawn in another way. */
    of(cell) {
      const action = grid.action[cell];
      if (action === NO_STATE) return null;
      if (by === "mark") return markAt(grid.mark[cell]);
      if (by === "probability") return grid.value[cell] >= 0 ? valueAt(grid.value[cell]) : null;
      return action >= 0 ? actionAt(action, levelOf(grid.margin?.[cell])) : null;
    },
  };
}

/** The pattern of a mark. Which of the two calm marks has none is up to `plain`: the one that most cells have. */
function markTile(mark, plain) {
  if (mark === plain) return null;
  const [ink, ground] = [colour("--ink"), colour("--ground")];
  // Each line lies on a wider one in the colour of the ground, so that it is seen on every colour.
  const both = (lines, wide = 1.2) => [...lines.map((line) => [...line, ground, wide + 1.4]), ...lines.map((line) => [...line, ink, wide])];
  const rising = [[-2, 10, 10, -2], [-6, 6, 6, -6], [2, 14, 14, 2]], falling = [[-2, -2, 10, 10], [-2, 6, 2, 10], [6, -2, 10, 2]];
  return {
    0: { key: "mark0", size: 10, dots: [[5, 5, 1.9, ground], [5, 5, 1.2, ink]] },
    1: { key: "mark1", size: 12, lines: both([[3, 6, 5.5, 8.5], [5.5, 8.5, 9.5, 3.5]]) },
    2: { key: "mark2", size: 8, lines: both(rising) },
    3: { key: "mark3", size: 8, lines: both([...rising, ...falling], 1.5) },
    4: { key: "mark4", size: 6, lines: [[-1, 1, 7, 1, ground, 1.6], [-1, 4, 7, 4, ground, 1.6]] },
    5: { key: "mark5", size: 8, lines: both([[4, -1, 4, 9]]) },
  }[mark] ?? null;
}

/** The calm mark (nothing known, or proved safe) that needs no pattern, as most cells have it. */
function plainMark(grid) {
  const count = [0, 0];
  for (const mark of grid.mark) if (mark < 2) count[mark]++;
  return count[0] > count[1] ? 0 : 1;
}

/** Stripes of two colours: a tie. */
function tieTile(one, other) {
  return { key: `tie${one}${other}`, size: 6, ground: rgbText(one), lines: [[-3, 9, 9, -3], [-3, 3, 3, -3], [3, 9, 9, 3]].map((line) => [...line, rgbText(other), 2.1]) };
}

/** Which actions tie in a cell, as far as the page knows. */
function tiedActions(grid, cell) {
  if (!grid.scores) return [];
  const scores = grid.scores.map((each) => each[cell]);
  const best = Math.max(...scores.filter((score) => !Number.isNaN(score)));
  return data.json.policy_actions.filter((_, k) => scores[k] === best);
}

/** Cells and axes. */
function drawMap(pen, grid, at, palette) {
  const plain = plainMark(grid);
  const byMark = palette.by === "mark" || palette.by === "action";
  for (let j = 0; j < at.ny; j++) {
    // Neighbours of one colour are one rectangle: large maps are drawn at once, and saved ones stay small.
    inRuns(at.nx, (i) => palette.of(j * at.nx + i), (from, to, fill) => { if (fill) pen.rect(at.x(from), at.y(j), at.x(to) - at.x(from), at.h(j), rgbText(fill)); });
    if (palette.by === "action") for (let i = 0; i < at.nx; i++) if (!palette.of(j * at.nx + i)) drawOddCell(pen, grid, at, palette, i, j);
    const marks = (i) => (grid.action[j * at.nx + i] === NO_STATE ? null : grid.mark[j * at.nx + i]);
    inRuns(at.nx, marks, (from, to, mark) => {
      const tile = byMark && mark !== null ? markTile(mark, plain) : null;
      if (tile) pen.tile(at.x(from), at.y(j), at.x(to) - at.x(from), at.h(j), tile);
    });
    for (let i = 0; i < at.nx; i++) drawCellText(pen, grid, at, palette, i, j, marks(i) !== null && marks(i) !== plain);
  }
  if (Math.min(at.cw, at.ch) >= 9) drawCellLines(pen, at);
  drawAxes(pen, grid, at);
}

function inRuns(count, keyOf, each) {
  for (let from = 0, to; from < count; from = to) {
    const key = keyOf(from);
    for (to = from + 1; to < count && keyOf(to) === key; to++);
    each(from, to, key);
  }
}

/** A cell without one action: a tie is striped, several actions share the cell side by side, none is a dot. */
function drawOddCell(pen, grid, at, palette, i, j) {
  const cell = j * at.nx + i, action = grid.action[cell];
  const [x, y, w, h] = [at.x(i), at.y(j), at.w(i), at.h(j)];
  const full = (one) => (one >= 0 ? palette.actionAt(one, SHADE_LEVELS - 1) : rgb("--silent"));
  if (action === TIED) {
    const tied = tiedActions(grid, cell);
    pen.tile(x, y, w, h, tieTile(full(tied[0] ?? -1), tied[1] === undefined ? rgb("--ground") : full(tied[1])));
  } else if (action === SEVERAL) {
    const shares = grid.shares.get(cell).slice(0, Math.max(1, Math.min(4, Math.floor(w / 2))));
    const all = shares.reduce((sum, [, count]) => sum + count, 0);
    let before = 0;
    for (const [one, count] of shares) {
      const [from, to] = [x + Math.round((w * before) / all), x + Math.round((w * (before + count)) / all)];
      if (to > from) pen.rect(from, y, to - from, h, rgbText(full(one)));
      before += count;
    }
  } else if (action === NO_ACTION) {
    pen.rect(x, y, w, h, colour("--raised"));
    if (Math.min(w, h) >= 5) pen.dot(x + w / 2, y + h / 2, Math.min(w, h) / 8 + 0.5, colour("--soft"));
  }
}

function drawCellText(pen, grid, at, palette, i, j, patterned) {
  if (Math.min(at.cw, at.ch) < GLYPH_FROM) return;
  const cell = j * at.nx + i, action = grid.action[cell];
  const text = palette.by === "probability" ? (grid.value[cell] >= 0 ? number(Number(grid.value[cell].toPrecision(2))) : null)
    : action >= 0 ? actionGlyph(action) : action === TIED ? "=" : action === SEVERAL ? "+" : null;
  if (text === null) return;
  const size = Math.min(20, at.ch * 0.5, (at.cw * 1.45) / text.length);
  if (size < 7) return;
  const fill = palette.of(cell), [x, y] = [at.x(i) + at.w(i) / 2, at.y(j) + at.h(j) / 2];
  const backed = fill === null || patterned;
  const ground = fill ?? rgb("--ground");
  const wide = text.length * size * 0.62 + 4;
  if (backed) pen.rect(x - wide / 2, y - size * 0.58, wide, size * 1.16, rgbText(ground));
  pen.text(x, y, text, inkOn(ground), { size, anchor: "middle", bold: true });
}

function drawCellLines(pen, at) {
  const [left, top, right, bottom] = [at.left, at.top, at.x(at.nx), at.top + Math.round(at.ny * at.ch)];
  for (let i = 0; i <= at.nx; i++) pen.line([[at.x(i), top], [at.x(i), bottom]], colour("--line"), 0.5);
  for (let j = 0; j < at.ny; j++) pen.line([[left, at.y(j)], [right, at.y(j)]], colour("--line"), 0.5);
}

function drawAxes(pen, grid, at) {
  const [right, bottom] = [at.x(at.nx), at.top + Math.round(at.ny * at.ch)];
  pen.frame(at.left, at.top, right - at.left, bottom - at.top, colour("--strong"), 1);
  const soft = colour("--soft"), ink = colour("--ink");
  const widest = Math.max(...grid.xs.values.map((_, i) => columnText(grid.xs, i).length)) * 6.6 + 10;
  for (const i of ticks(grid.xs, widest / at.cw)) pen.text(at.x(i) + at.w(i) / 2, bottom + 13, clipped(columnText(grid.xs, i), 24), soft, { size: 11, anchor: "middle" });
  const fits = Math.floor((at.left - 22) / 6.2);
  for (const j of ticks(grid.ys, 15 / at.ch)) pen.text(at.left - 6, at.y(j) + at.h(j) / 2, clipped(columnText(grid.ys, j), fits), soft, { size: 11, anchor: "end" });
  pen.text((at.left + right) / 2, bottom + 33, clipped(grid.xs.of.name, 60), ink, { size: 13, anchor: "middle" });
  pen.text(11, (at.top + bottom) / 2, clipped(grid.ys.of.name, 40), ink, { size: 13, anchor: "middle", upright: false });
}

/** Indices that leave room for labels: at even, round distances. Samples of real numbers are labelled where the numbers are short, at up to three times the distance. */
function ticks(axis, least) {
  const count = axis.values.length, every = (each) => Array.from({ length: Math.ceil(count / each) }, (_, k) => k * each);
  const each = [1, 2, 5, 10, 20, 25, 50, 100, 200].find((step) => step >= least) ?? count;
  if (axis.of.type !== "real" || axis.wide) return every(each);
  const longest = (step) => Math.max(...every(step).map((i) => columnText(axis, i).replace(/0+$/, "").length));
  const others = [3, 4, 6, 12, 15, 30, 60].filter((step) => step >= least && step <= 3 * each && step < count);
  return every(others.reduce((best, step) => (longest(step) < longest(best) ? step : best), each));
}

function clipped(text, length) {
  return text.length > length ? text.slice(0, Math.max(1, length - 1)) + "…" : text;
}
