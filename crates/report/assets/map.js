// The policy map: what the policy does over any two variables, how firmly, and what is known of the states there.
//
// What is looked at is one object, `look`; a change of it makes the grid anew. The picture of the grid is kept, and drawn again under what moves: the run, the
// state that is looked at, and the cursor. Choosing a cell tells `state`; states that others choose are shown where they lie.

part("map", "Policy map", (json) => json.variables.length > 1 && (json.slices?.maps.length > 0 || json.states?.count > 0 || (json.mode === "view" && json.subject?.policy)), buildMap);
keyHelp("On the policy map", [["arrow keys", "the cell beside"], ["PageUp, PageDown", "ten cells up or down"], ["Home, End", "the ends of the row"], ["Enter", "look at the cell's state"]]);

const MAP_KINDS = [
  { kind: "slice", text: "slice: all others fixed", wanted: () => data.json.slices?.maps.length > 0 || data.json.mode === "view" },
  { kind: "reached", text: "slice of the reached states", wanted: () => data.json.states },
  { kind: "projection", text: "projection of the reached states", wanted: () => data.json.states },
];

/** What is shown first: the first slice of the page, else the two variables of which most is reached. */
function firstLook() {
  const { slices, states, run, variables } = data.json;
  const map = slices?.maps[0];
  const size = (v) => (states ? reachedAxis(v).values.length : (variables[v].upper ?? 1) - (variables[v].lower ?? 0));
  const worth = (v) => size(v) * (variables[v].seen ? 4 : 1) * (variables[v].type === "location" ? 0.1 : 1) * (unchangingValues().has(v) ? 0.01 : 1);
  const widest = map ? [] : variables.map((_, v) => v).sort((a, b) => worth(b) - worth(a) || a - b).slice(0, 2).sort((a, b) => a - b);
  const [x, y] = map ? [map.x, map.y] : widest;
  const kind = MAP_KINDS.find((each) => each.wanted()).kind, base = map ? map.base : slices?.bases.length > 0 ? 0 : "here";
  return { x, y, kind, base, by: data.json.subject?.policy ? "action" : "mark", down: false, run: Boolean(run), filter: "" };
}

function baseState(look, here) {
  return look.base === "here" ? here : data.json.slices.bases[look.base].state;
}

const slicesAsked = new Map();

/** The grid of a look, or a promise of it where the program has to be asked. */
function gridOf(look, here) {
  const { x, y, kind, filter } = look;
  if (x === y) throw new Error("Choose two different variables.");
  if (kind === "projection") return reachedGrid(x, y, membersFiltered(filter), { kind });
  const base = baseState(look, here);
  if (kind === "reached") return reachedGrid(x, y, membersLike(base, x, y), { kind, base });
  const map = look.base === "here" ? null : mapOfPage(x, y, look.base);
  if (map) return sliceGrid(map, base, x);
  if (data.json.mode !== "view") throw new Error("This slice was not computed for the page. Others that were are in the lists; the projection shows any two variables.");
  const key = JSON.stringify([Math.min(x, y), Math.max(x, y), base.map((value, v) => (v === x || v === y ? null : value))]);
  if (!slicesAsked.has(key)) {
    const asked = ask("slice", { x, y, state: base });
    slicesAsked.set(key, asked);
    asked.catch(() => slicesAsked.delete(key)); // it may be asked again
  }
  return slicesAsked.get(key).then((answer) => sliceGrid(answer.json.map, base, x, answer));
}

/** What the map shows, as a sentence. */
function mapCaption(look, grid) {
  const over = `${grid.ys.of.name} over ${grid.xs.of.name}`;
  if (look.kind === "projection") return `${over}, all reached states${look.filter.trim() ? ` with ${look.filter.trim()}` : ""}; the other variables have any value`;
  const fixed = freeText(grid, grid.base);
  const from = look.base === "here" ? "the state that is looked at" : data.json.slices.bases[look.base].name;
  return `${over}${look.kind === "reached" ? ", reached states" : ""}; all else as in ${from.startsWith("reached: ") ? "a reached state" : from}${fixed ? ` (${clipped(fixed, 160)})` : ""}`;
}

function buildMap(section) {
  const { run } = data.json;
  const look = firstLook();
  let here = firstState(), cursor = -1, hovered = -1, grid = null, palette = null, at = null, asked = 0;
  const canvas = el("canvas", { tabindex: 0, role: "application", "aria-roledescription": "policy map", style: { "touch-action": "auto", cursor: "crosshair", "outline-offset": "-3px" } });
  const picture = document.createElement("canvas");
  const frame = el("div", { class: "frame" }, canvas), side = el("div", { class: "side" }), legend = el("div");
  const introduction = el("p"), caption = el("p", { class: "small soft", "aria-live": "polite" });
  const problem = el("p", { class: "problem", hidden: true }), notes = el("p", { class: "small soft" });
  const table = el("details", { class: "screen", ontoggle: () => fillTable() }, el("summary", {}, "The map as a table")), tableBox = el("div");
  table.append(tableBox);

  const fillTable = () => tableBox.replaceChildren(...(table.open && grid ? mapTable(grid, cursor, look.down) : []));

  /** Make the grid of the look, then show it; what was asked later wins. */
  async function refresh() {
    const mine = ++asked;
    controls.update(look);
    let made = null, wrong = null;
    try {
      made = gridOf(look, here);
      if (made instanceof Promise) {
        caption.textContent = "Computing the slice …";
        made = await made;
      }
    } catch (error) {
      wrong = error.message;
    }
    if (mine !== asked) return;
    problem.textContent = legible(wrong ?? "");
    problem.hidden = wrong === null;
    frame.hidden = wrong !== null;
    if (wrong !== null) {
      caption.textContent = "";
      return;
    }
    grid = made;
    if (look.by === "probability" && !grid.value) look.by = "action";
    cursor = cellOfState(here);
    controls.update(look, grid);
    redraw();
    showSide();
    fillTable();
  }

  /** The cell of a state if the map shows this state; else -1. */
  function cellOfState(state) {
    const [i, j] = [columnOf(grid.xs, state[grid.xs.variable]), columnOf(grid.ys, state[grid.ys.variable])];
    const agrees = grid.base === null || state.every((value, v) => v === grid.xs.variable || v === grid.ys.variable || value === grid.base[v]);
    return i >= 0 && j >= 0 && agrees ? j * grid.xs.values.length + i : -1;
  }

  /** Everything anew: the size, the colours, the legend. */
  function redraw() {
    const width = frame.clientWidth;
    if (!grid || width === 0) return;
    const density = Math.max(1, devicePixelRatio);
    palette = mapPalette(grid, look.by);
    at = mapGeometry(grid, width, look.down);
    for (const each of [canvas, picture]) {
      each.width = Math.round(width * density);
      each.height = Math.round(at.height * density);
    }
    canvas.style.height = `${at.height}px`;
    const pen = canvasPen(picture.getContext("2d"), density);
    pen.rect(0, 0, width, at.height, colour("--ground"));
    drawMap(pen, grid, at, palette);
    if (run && look.run) drawRun(pen, run, grid, at);
    introduction.replaceChildren(...mapIntroduction(look.by));
    caption.replaceChildren(name(mapCaption(look, grid)));
    legend.replaceChildren(mapLegend(legendEntries(grid, palette)));
    notes.textContent = mapNotes(look, grid, run);
    const size = `${number(at.nx)} by ${number(at.ny)} cells`;
    canvas.setAttribute("aria-label", `${caption.textContent}. ${size}. Arrow keys move between cells, Enter looks at the state of one.`);
    drawOver();
  }

  /** The kept picture, and what moves over it. */
  function drawOver() {
    if (!at) return;
    const context = canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(picture, 0, 0);
    drawCursor(canvasPen(context, Math.max(1, devicePixelRatio)), grid, at, cursor, here);
  }

  function showSide() {
    if (cursor >= 0) return side.replaceChildren(cellCard(grid, cursor, chooseState));
    const free = (v) => v === grid.xs.variable || v === grid.ys.variable;
    const differ = data.json.variables.map((variable, v) => (grid.base && !free(v) && here[v] !== grid.base[v] ? `${variable.name}=${shown(variable, here[v])}` : null)).filter(Boolean);
    const through = look.kind !== "projection" && differ.length > 0 && (look.kind === "reached" || data.json.mode === "view" || data.json.states);
    const choice = run?.steps[run.states.findIndex((state) => sameState(state, here))]?.choice ?? null;
    return side.replaceChildren(stateCard(here, choice, markOfState(here, -1)), el("div", { class: "note" },
      el("p", {}, differ.length > 0 ? ["The state that is looked at is not in this slice: there ", name(clipped(differ.join(", "), 200)), "."]
        : grid.sampled ? "The state that is looked at lies between the cells: not every value is shown." : "The state that is looked at is outside of this map."),
      through && el("button", { type: "button", onclick: () => {
        Object.assign(look, { base: "here", kind: look.kind === "slice" && data.json.mode !== "view" ? "reached" : look.kind });
        refresh();
      } }, "Slice through it")));
  }

  function moveTo(cell) {
    cursor = cell;
    drawOver();
    showSide();
    announce(cellLines(grid, cell).join(". "));
  }

  function chooseState(state) {
    here = state;
    addressSoon(stateAddress(state));
    tell("state", { values: state, from: "map" });
    cursor = cellOfState(state);
    drawOver();
    side.replaceChildren(stateCard(state, cursor >= 0 ? cellChoice(grid, cursor) : null, markOfState(state, cursor)));
    fillTable();
  }

  const markOfState = (state, cell) => {
    const i = findReached(state);
    return i >= 0 ? reachedStates().mark[i] : cell >= 0 ? grid.mark[cell] : 0;
  };

  /** Look at the state of a cell; of several states, they are listed instead. */
  function chooseCell(cell) {
    moveTo(cell);
    const state = cellState(grid, cell);
    if (state && !(grid.count && grid.count[cell] > 1)) chooseState(state);
  }

  const under = (event) => {
    const box = canvas.getBoundingClientRect();
    return at ? at.cellAt(event.clientX - box.left, event.clientY - box.top) : -1;
  };
  canvas.addEventListener("pointermove", (event) => {
    const cell = under(event);
    if (cell === hovered) return;
    hovered = cell;
    if (cell < 0) hideTip();
    else showTip(cellTip(grid, cell), event.clientX, event.clientY);
  });
  canvas.addEventListener("pointerleave", () => { hovered = -1; hideTip(); });
  canvas.addEventListener("click", (event) => {
    const cell = under(event);
    if (cell >= 0) chooseCell(cell);
  });
  canvas.addEventListener("keydown", (event) => {
    if (!at || event.ctrlKey || event.metaKey || event.altKey) return;
    const up = look.down ? -1 : 1;
    const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, up], ArrowDown: [0, -up],
      PageUp: [0, 10 * up], PageDown: [0, -10 * up], Home: [-at.nx, 0], End: [at.nx, 0] }[event.key];
    if (!move && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    hideTip();
    if (!move) {
      if (cursor >= 0) chooseCell(cursor);
      return;
    }
    const within = (value, count) => Math.max(0, Math.min(count - 1, value));
    const [i, j] = cursor < 0 ? [0, 0] : [within((cursor % at.nx) + move[0], at.nx), within(Math.floor(cursor / at.nx) + move[1], at.ny)];
    moveTo(j * at.nx + i);
  });

  const controls = mapControls(look, refresh);
  const figureNow = () => ({ grid, by: look.by, down: look.down, run: look.run ? run : null, caption: mapCaption(look, grid) });
  section.append(
    introduction, controls.element, caption, problem,
    el("div", { class: "beside" }, el("div", { class: "side" }, frame, legend, notes), side),
    el("div", { class: "toolbar" }, copyButton("Copy state", () => stateOption(here)), copyButton("Copy link to state", () => linkTo(stateAddress(here))),
      saveButton("Save map as PNG", "policy-map.png", () => mapAsPng(figureNow()), { class: "end" }), saveButton("Save map as SVG", "policy-map.svg", () => mapAsSvg(figureNow()))),
    table);
  new ResizeObserver(() => { if (at && frame.clientWidth !== at.width) redraw(); else if (!at) redraw(); }).observe(frame);
  listen("theme", redraw);
  listen("state", ({ values, from }) => {
    if (from === "map") return;
    here = values;
    if (look.base === "here" && look.kind !== "projection") return void refresh();
    if (!grid) return;
    cursor = cellOfState(values);
    drawOver();
    showSide();
  });
  listen("state", ({ values, from }) => {
    // A link to a state that no other part has leads here.
    if (from === "address" && data.json.mode !== "view" && !run?.states.some((state) => sameState(state, values))) section.scrollIntoView();
  });
  refresh();
}

function mapIntroduction(by) {
  const known = "Each cell has the colour and the pattern of what is known of its state";
  if (by === "mark") return data.json.subject?.policy ? [known, "; letters are the actions that the ", term("policy"), " chooses."] : [known, "."];
  if (by === "probability") return ["The fuller the colour of a cell, the larger the probability from there, rounded up."];
  return ["Each cell has the colour and the letter of the action that the ", term("policy"), " chooses there. The fainter the colour, the smaller the ", term("margin"),
    "; patterns say what is known of the state."];
}

/** What has to be said beside the legend. */
function mapNotes(look, grid, run) {
  const notes = [];
  if (grid.sampled) notes.push("Not every value is shown: cells are samples, evenly spaced.");
  if (grid.xs.wide || grid.ys.wide) notes.push("A column or row stands for several values.");
  if (grid.kind !== "slice" && !reachedStates().complete) notes.push("Not all reachable states are in this page: an empty cell may be reachable.");
  if (look.kind === "projection") notes.push("A cell is all reached states with these two values: it shows the least margin and the most alarming mark among them.");
  if (run && look.run) notes.push(`The line is the run, with the numbers of its states${grid.base ? "; those with a filled point lie in this slice" : ""}.`);
  return notes.join(" ");
}
