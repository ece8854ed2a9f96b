// The run over a policy map: a line from cell to cell with the numbers of its states, and where one is now.
//
// In a slice the run comes and goes: states that lie in the slice have filled points, the others are only seen through it and have none.

/** The places of the run's states on a map; null where one is outside of it. */
function runPlaces(run, grid, at) {
  const inside = (state) => grid.base === null || data.json.variables.every((_, v) => v === grid.xs.variable || v === grid.ys.variable || state[v] === grid.base[v]);
  return run.states.map((state) => {
    const [i, j] = [placeOnAxis(grid.xs, state[grid.xs.variable]), placeOnAxis(grid.ys, state[grid.ys.variable])];
    if (i === null || j === null) return null;
    const [x, y] = at.middle(i, j);
    return { x, y, inside: inside(state) };
  });
}

/** The line, its points, and as many numbers as there is room for. */
function drawRun(pen, run, grid, at) {
  const places = runPlaces(run, grid, at);
  const [ink, ground] = [colour("--ink"), colour("--ground")];
  const pieces = [[]];
  for (const place of places) {
    if (place) pieces.at(-1).push([place.x, place.y]);
    else if (pieces.at(-1).length > 0) pieces.push([]);
  }
  for (const piece of pieces) if (piece.length > 1) pen.line(piece, ground, 4.5);
  for (const piece of pieces) if (piece.length > 1) pen.line(piece, ink, 1.8);
  const radius = Math.max(1.5, Math.min(3.2, Math.min(at.cw, at.ch) / 4));
  const seen = new Set();
  places.forEach((place) => {
    const spot = place && `${place.x} ${place.y} ${place.inside}`;
    if (!place?.inside || seen.has(spot)) return;
    seen.add(spot);
    pen.dot(place.x, place.y, radius, ink, radius > 2.5 ? ground : null, 1.2);
  });
  drawRunNumbers(pen, places, at);
}

const MOST_NUMBERS = 60;

function drawRunNumbers(pen, places, at) {
  const [ink, ground] = [colour("--ink"), colour("--ground")];
  const [left, right, bottom] = [at.left, at.x(at.nx), at.top + at.ny * at.ch];
  const taken = [];
  const clear = ({ x, y, w, h }) => x >= left && x + w <= right && y >= at.top && y + h <= bottom &&
    taken.every((other) => x + w + 3 < other.x || other.x + other.w + 3 < x || y + h + 3 < other.y || other.y + other.h + 3 < y);
  const spots = numberedSpots(places);
  for (const k of fromEndsInwards(spots.length).slice(0, 4 * MOST_NUMBERS)) {
    if (taken.length === MOST_NUMBERS) break;
    const { x, y, text } = spots[k], wide = text.length * 6.4 + 5;
    const box = [[7, -8], [-7 - wide, -8], [7, 16], [-7 - wide, 16]].map(([dx, dy]) => ({ x: x + dx, y: y + dy - 7, w: wide, h: 14 })).find(clear);
    if (!box) continue;
    taken.push(box);
    pen.rect(box.x, box.y, box.w, box.h, ground);
    pen.frame(box.x, box.y, box.w, box.h, ink, 0.8);
    pen.text(box.x + box.w / 2, box.y + box.h / 2, text, ink, { size: 10, anchor: "middle" });
  }
}

/** Indices so that any number of the first ones is spread over all: the ends, the middle, the middles of the halves, and so on. */
function fromEndsInwards(count) {
  const order = count > 1 ? [0, count - 1] : count > 0 ? [0] : [];
  const waiting = [[0, count - 1]];
  for (let k = 0; k < waiting.length; k++) {
    const [from, to] = waiting[k], middle = (from + to) >> 1;
    if (middle === from) continue;
    order.push(middle);
    waiting.push([from, middle], [middle, to]);
  }
  return order;
}

/** Where numbers go, in the order of the run: one per stay in a place, `4–6` if it lasts. */
function numberedSpots(places) {
  const spots = [];
  places.forEach((place, i) => {
    const last = spots.at(-1);
    if (!place) return;
    if (last && last.x === place.x && last.y === place.y && last.to === i - 1) {
      last.to = i;
      last.text = `${last.from}–${i}`;
    } else spots.push({ x: place.x, y: place.y, from: i, to: i, text: String(i) });
  });
  return spots;
}

/** A ring around the cell that the keyboard is at, and another around where the state that is looked at would be. */
function drawCursor(pen, grid, at, cursor, state) {
  const place = state && runPlaces({ states: [state] }, grid, at)[0];
  const [i, j] = [cursor % at.nx, Math.floor(cursor / at.nx)], least = Math.min(at.cw, at.ch);
  const wide = least >= 2 * GLYPH_FROM; // then the ring goes around the letter
  // In the cell of the cursor the frame says it already.
  if (place && !(wide && cursor >= 0 && at.cellAt(place.x, place.y) === cursor)) {
    const radius = wide ? least * 0.42 : 8;
    pen.dot(place.x, place.y, radius, null, colour("--ground"), 5);
    pen.dot(place.x, place.y, radius, null, colour("--focus"), 2.5);
    if (place.inside && !wide) pen.dot(place.x, place.y, 3, colour("--focus"));
  }
  if (cursor < 0) return;
  const [x, y, w, h] = [at.x(i), at.y(j), Math.max(4, at.w(i)), Math.max(4, at.h(j))];
  pen.frame(x - 1, y - 1, w + 2, h + 2, colour("--ground"), 4);
  pen.frame(x - 1, y - 1, w + 2, h + 2, colour("--focus"), 2);
}
