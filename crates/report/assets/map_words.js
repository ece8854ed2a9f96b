// A policy map in words: what a cell is, what the colours and patterns mean, and the map as a table for those who do not see it.

const MARK_SIGNS = ["", "✓", "!", "✗", "–", "|", ""];

/** The state that a cell stands for, or the first of them; null where there is none. */
function cellState(grid, cell) {
  if (grid.example) return grid.example[cell] < 0 ? null : reachedState(grid.example[cell]);
  if (grid.action[cell] === NO_STATE) return null;
  const state = [...grid.base];
  state[grid.xs.variable] = grid.xs.values[cell % grid.xs.values.length];
  state[grid.ys.variable] = grid.ys.values[Math.floor(cell / grid.xs.values.length)];
  return state;
}

/** The choice in a cell of a single state, as `stateCard` takes it; without exact numbers, as maps have none. */
function cellChoice(grid, cell) {
  const action = grid.action[cell];
  if (action === NO_STATE || action === SEVERAL || (grid.count && grid.count[cell] > 1)) return null;
  const scores = (grid.scores ?? []).map((each, k) => ({ action: data.json.policy_actions[k], exact: null, value: each[cell], out: Number.isNaN(each[cell]) }));
  const chosen = action >= 0 ? [action] : action === TIED ? tiedActions(grid, cell) : [];
  if (chosen.length === 0 && scores.length === 0) return null;
  const others = scores.filter((score) => !score.out && !chosen.includes(score.action)).sort((a, b) => b.value - a.value);
  const margin = grid.margin?.[cell];
  return { network: null, chosen, scores, runner_up: others[0]?.action ?? null, margin: margin >= 0 && margin < Infinity ? margin : null, exact: null };
}

/** What a cell says about the action. */
function cellAction(grid, cell) {
  const action = grid.action[cell];
  if (action === NO_STATE) return grid.kind === "slice" ? "no state of the model" : "no such state was reached";
  if (action === NO_ACTION && grid.kind !== "slice" && !data.json.states?.action && data.json.policy_actions.length) return "choices of so many states are not on this page";
  if (action === NO_ACTION) return "the policy is not asked: none of its actions is possible here";
  if (action === TIED) return `tie${tiedActions(grid, cell).length > 1 ? ` of ${tiedActions(grid, cell).map(actionName).join(", ")}` : ""}`;
  if (action >= 0) return actionName(action);
  const shares = grid.shares.get(cell).slice(0, 6).map(([one, count]) => `${one >= 0 ? actionName(one) : one === TIED ? "tie" : "none"} in ${number(count)}`);
  return `several actions: ${shares.join(", ")}`;
}

/** A cell in lines of text. */
function cellLines(grid, cell) {
  const nx = grid.xs.values.length;
  const lines = [`${grid.xs.of.name} = ${columnText(grid.xs, cell % nx)}, ${grid.ys.of.name} = ${columnText(grid.ys, Math.floor(cell / nx))}`];
  if (grid.action[cell] === NO_STATE) return [...lines, cellAction(grid, cell)];
  const many = grid.count && grid.count[cell] > 1;
  if (many) lines.push(`${number(grid.count[cell])} states`);
  lines.push(cellAction(grid, cell));
  if (grid.margin?.[cell] === Infinity && !many) lines.push("no other action is possible");
  else if (grid.margin?.[cell] >= 0 && grid.action[cell] !== TIED) lines.push(`${many ? "least margin" : "margin"} ${number(grid.margin[cell])}`);
  if (grid.value?.[cell] >= 0) lines.push(`${many ? "probability at most" : "probability"} ${number(grid.value[cell])}`);
  if (grid.mark[cell] > 0) lines.push((many ? "the worst of them: " : "") + markName(grid.mark[cell]));
  return lines;
}

/** What is shown beside the pointer: the cell in words, the best scores, and the state's drawing. */
function cellTip(grid, cell) {
  const choice = cellChoice(grid, cell), state = cellState(grid, cell);
  const best = [...(choice?.scores ?? [])].filter((score) => !score.out).sort((a, b) => b.value - a.value).slice(0, 6);
  const drawing = state && typeof drawState === "function" ? drawState(state, { width: 220, height: 160 }) : null;
  const many = grid.count && grid.count[cell] > 1;
  return el("div", {}, cellLines(grid, cell).map((line) => el("div", {}, name(line))),
    best.length > 0 && el("div", {}, best.map((score) => el("div", {}, actionBadge(score.action), ` ${number(score.value)}`))),
    drawing,
    drawing && many && el("div", { class: "soft" }, "one of them"));
}

/** The whole of a cell: what is beside the map. A cell of several states has them counted, and the first of them. */
function cellCard(grid, cell, choose) {
  const state = cellState(grid, cell);
  const lines = cellLines(grid, cell);
  const many = grid.count && grid.count[cell] > 1;
  if (!state) return el("div", { class: "note" }, lines.map((line) => el("div", {}, name(line))));
  if (!many) return stateCard(state, cellChoice(grid, cell), grid.mark[cell]);
  const members = [];
  for (let i = 0; i < grid.cellOf.length && members.length < 6; i++) if (grid.cellOf[i] === cell) members.push(i);
  const reached = reachedStates(), states = members.map(reachedState);
  const differ = data.json.variables.map((_, v) => v).filter((v) => states.some((each) => each[v] !== state[v]));
  const words = (each) => differ.map((v) => `${data.json.variables[v].name}=${shown(data.json.variables[v], each[v])}`).join(", ");
  const item = (each, k) => el("li", {}, el("a", { href: "#" + stateAddress(each), onclick: (event) => { event.preventDefault(); choose(each); } },
    reached.action[members[k]] >= 0 ? actionBadge(reached.action[members[k]]) : reached.action[members[k]] === TIED ? "tie" : "no action", " ", name(clipped(words(each), 160))));
  return el("div", {},
    el("div", { class: "note" }, lines.map((line) => el("div", {}, name(line)))),
    el("p", { class: "small soft" }, members.length < grid.count[cell] ? "The first of them, by what they differ in:" : "They are, by what they differ in:"),
    el("ul", { class: "small" }, states.map(item)));
}

/** The values of a state that its cell does not say. */
function freeText(grid, state) {
  const told = (v) => v === grid.xs.variable || v === grid.ys.variable || unchangingValues().get(v) === state[v];
  return data.json.variables.map((variable, v) => (told(v) ? null : `${variable.name}=${shown(variable, state[v])}`)).filter(Boolean).join(", ");
}

/** Entries of the legend: what stands for it, in words, and in how many cells. `draw(pen, x, y, size)` draws it. */
function legendEntries(grid, palette) {
  const actions = new Map(), marks = new Map();
  grid.action.forEach((action, cell) => {
    actions.set(action, (actions.get(action) ?? 0) + 1);
    if (action !== NO_STATE) marks.set(grid.mark[cell], (marks.get(grid.mark[cell]) ?? 0) + 1);
  });
  const entries = [];
  const box = (fill) => (pen, x, y, size) => pen.rect(x, y, size, size, rgbText(fill));
  if (palette.by === "action") {
    const order = [...actions.keys()].filter((action) => action >= 0).sort((a, b) => actions.get(b) - actions.get(a) || a - b);
    for (const action of order) {
      const fill = palette.actionAt(action, SHADE_LEVELS - 1);
      entries.push({ text: actionName(action), count: actions.get(action), draw: (pen, x, y, size) => {
        box(fill)(pen, x, y, size);
        pen.text(x + size / 2, y + size / 2, actionGlyph(action), inkOn(fill), { size: size * (actionGlyph(action).length > 2 ? 0.5 : 0.66), anchor: "middle", bold: true });
      } });
    }
    const silent = rgb("--silent"), ground = rgb("--ground");
    if (actions.has(TIED)) entries.push({ text: "tie", word: "tie", count: actions.get(TIED), draw: (pen, x, y, size) => pen.tile(x, y, size, size, tieTile(silent, ground)) });
    if (actions.has(SEVERAL)) {
      const two = [...order, order[0]].slice(0, 2).map((action) => (action === undefined ? silent : palette.actionAt(action, SHADE_LEVELS - 1)));
      entries.push({ text: "several actions, in different states of the cell", count: actions.get(SEVERAL), draw: (pen, x, y, size) => {
        box(two[0])(pen, x, y, size);
        pen.rect(x + size / 2, y, size / 2, size, rgbText(two[1] ?? silent));
      } });
    }
    if (actions.has(NO_ACTION)) entries.push({ text: "no action", count: actions.get(NO_ACTION), draw: (pen, x, y, size) => pen.dot(x + size / 2, y + size / 2, 2.5, colour("--soft")) });
    if (palette.full > 0) {
      entries.push({ text: `margin: from 0 (faint) to ${number(palette.full)} or more (full colour)`, word: "margin", wide: SHADE_LEVELS, draw: (pen, x, y, size) => {
        for (let level = 0; level < SHADE_LEVELS; level++) pen.rect(x + level * size, y, size, size, rgbText(palette.actionAt(order[0] ?? -1, level)));
      } });
    }
  }
  if (palette.by === "probability") {
    entries.push({ text: `probability: ${number(palette.range[0])} (faint) to ${number(palette.range[1])} (full colour)`, wide: 5, draw: (pen, x, y, size) => {
      const [low, high] = palette.range;
      for (let k = 0; k < 5; k++) pen.rect(x + k * size, y, size, size, rgbText(palette.valueAt(low + ((high - low) * k) / 4)));
    } });
  } else {
    const plain = plainMark(grid);
    const ground = rgb("--ground");
    for (const mark of [...marks.keys()].sort()) {
      const tile = markTile(mark, plain);
      entries.push({ text: markName(mark) + (tile === null && palette.by === "action" ? " (no pattern)" : ""), count: marks.get(mark), draw: (pen, x, y, size) => {
        box(palette.by === "mark" ? palette.markAt(mark) : mixed(rgb("--silent"), ground, 0.4))(pen, x, y, size);
        if (tile) pen.tile(x, y, size, size, tile);
      } });
    }
  }
  if (actions.has(NO_STATE)) entries.push({ text: cellAction(grid, grid.action.indexOf(NO_STATE)), count: actions.get(NO_STATE), draw: box(rgb("--ground")) });
  return entries;
}

/** The legend as a list, each with a small picture. */
function mapLegend(entries) {
  const size = 18, density = Math.max(2, devicePixelRatio);
  return el("ul", { class: "legend" }, entries.map((entry) => {
    const width = size * (entry.wide ?? 1);
    const picture = el("canvas", { width: width * density, height: size * density, "aria-hidden": "true",
      style: { width: `${width}px`, height: `${size}px`, border: "1px solid var(--strong)", "border-radius": "3px", flex: "none" } });
    entry.draw(canvasPen(picture.getContext("2d"), density), 0, 0, size);
    return el("li", {}, picture, el("span", {}, entry.word ? term(entry.word, entry.text) : name(entry.text)),
      entry.count !== undefined && el("span", { class: "soft" }, number(entry.count)));
  }));
}

const TABLE_WINDOW = 30;

/** A window of the map as a table, around a cell. */
function mapTable(grid, cursor, down) {
  const [nx, ny] = [grid.xs.values.length, grid.ys.values.length];
  const [ci, cj] = cursor >= 0 ? [cursor % nx, Math.floor(cursor / nx)] : [0, 0];
  const window = (middle, count) => {
    const from = Math.max(0, Math.min(count - TABLE_WINDOW, middle - TABLE_WINDOW / 2));
    return Array.from({ length: Math.min(count, TABLE_WINDOW) }, (_, k) => from + k);
  };
  const columns = window(ci, nx), rows = window(cj, ny);
  if (!down) rows.reverse();
  const sign = (action) => (action >= 0 ? actionGlyph(action) : { [TIED]: "=", [NO_STATE]: "" }[action] ?? "·");
  const text = (cell) => {
    const several = grid.action[cell] === SEVERAL;
    const what = several ? grid.shares.get(cell).slice(0, 3).map(([one]) => sign(one)).join("+") : sign(grid.action[cell]);
    return `${what} ${MARK_SIGNS[grid.mark[cell]] ?? ""}`.trim();
  };
  const part = nx > TABLE_WINDOW || ny > TABLE_WINDOW;
  return [
    el("p", { class: "small soft" }, `Rows are ${grid.ys.of.name}, columns ${grid.xs.of.name}. Letters are the actions of the legend; = is a tie, + several actions, · none. `,
      `✓ ${MARKS[1].name}, ! ${MARKS[2].name}, ✗ ${MARKS[3].name}, – ${MARKS[4].name}, | ${MARKS[5].name}.`,
      part && ` Of ${number(nx)} × ${number(ny)} cells, those around the chosen one are shown.`),
    el("div", { class: "scroll tall", tabindex: 0, role: "group", "aria-label": "The map as a table" }, el("table", { class: "still" },
      el("thead", {}, el("tr", {}, el("td"), columns.map((i) => el("th", { scope: "col" }, columnText(grid.xs, i))))),
      el("tbody", {}, rows.map((j) => el("tr", {}, el("th", { scope: "row" }, columnText(grid.ys, j)), columns.map((i) => el("td", {}, text(j * nx + i)))))))),
  ];
}
