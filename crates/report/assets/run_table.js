// A run as a table, as lanes over its steps, and as files. Row i is state i together with the step that leaves it; what never changes is left out.
//
// Rows are made as they are needed: a run of a thousand steps over sixty variables is shown at once. Paper has the first of them.

const ROWS_AT_ONCE = 150, ROWS_ON_PAPER = 300;

/** The variables that change in the run. */
function changingVariables(run) {
  const all = data.json.variables.map((_, v) => v);
  const still = unchangingValues();
  const moving = all.filter((v) => !still.has(v));
  return moving.length > 0 ? moving : all;
}

/** What the environment did in a step, where it could have done something else: its outcome, or else which step of the model it was, if the run has several of that action. */
function environmentOf(run, step) {
  if (step.outcome && step.p !== 1) return step.outcome;
  return run.steps.some((other) => other.action === step.action && other.operator !== step.operator) ? step.operator : null;
}

/** The table, and `select(i)`. */
function runTable(run, choose) {
  const moving = changingVariables(run);
  const has = {
    environment: run.steps.some((step) => environmentOf(run, step)),
    chance: run.steps.some((step) => step.probability),
    margin: run.steps.some((step) => typeof step.choice?.margin === "number"),
  };
  const head = el("tr", {}, el("th", { scope: "col" }, "State"), moving.map((v) => el("th", { scope: "col", class: valueClass(v) }, name(data.json.variables[v].name))),
    el("th", { scope: "col" }, "Action"), has.margin && el("th", { scope: "col", class: "number" }, term("margin", "Margin")),
    has.environment && el("th", { scope: "col" }, term("outcome", "Environment")), has.chance && el("th", { scope: "col", class: "number" }, "Probability"));
  const body = el("tbody");
  const box = el("div", { class: "scroll tall", tabindex: 0, role: "group", "aria-label": "The run as a table: arrow keys choose a state" },
    el("table", { class: moving.length > 8 ? "still" : null }, el("thead", {}, head), body));
  const more = el("p", { class: "toolbar" }), cut = el("p", { class: "paperonly soft small" });
  let made = 0, current = null;
  const extend = (until) => {
    const rows = document.createDocumentFragment();
    for (; made < Math.min(until, run.states.length); made++) rows.append(runRow(run, made, moving, has));
    body.append(rows);
    const rest = run.states.length - made;
    more.hidden = rest === 0;
    cut.textContent = rest === 0 ? "" : `Printed: the first ${number(made)} of ${number(run.states.length)} states.`;
    more.replaceChildren(el("span", { class: "soft" }, `${number(rest)} more ${rest === 1 ? "state" : "states"}`),
      el("button", { type: "button", onclick: () => extend(made + ROWS_AT_ONCE) }, `Show ${number(Math.min(ROWS_AT_ONCE, rest))}`),
      el("button", { type: "button", onclick: () => extend(Infinity) }, "Show all"));
  };
  body.addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (!row || event.ctrlKey || event.metaKey) return; // a link that is wanted in another tab
    event.preventDefault();
    choose(row.rowIndex - 1);
  });
  listen("paper", (starts) => { if (starts) extend(ROWS_ON_PAPER); });
  extend(ROWS_AT_ONCE);
  const select = (i) => {
    if (i >= made) extend(Math.ceil((i + 1) / ROWS_AT_ONCE) * ROWS_AT_ONCE);
    current?.removeAttribute("aria-current");
    current = body.rows[i];
    current.setAttribute("aria-current", "step");
    // Only the box scrolls: the page stays where its reader is.
    const [top, bottom] = [current.offsetTop - head.offsetHeight, current.offsetTop + current.offsetHeight];
    if (top < box.scrollTop) box.scrollTop = top;
    else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
  };
  return { element: [box, more, cut], box, select };
}

/** Numbers stand below one another; words begin at the left. */
function valueClass(v) {
  return data.json.variables[v].names || data.json.variables[v].type === "bool" ? "" : "number";
}

function runRow(run, i, moving, has) {
  const [state, before, step] = [run.states[i], run.states[i - 1], run.steps[i]];
  const row = el("tr", { class: "pick" }, el("th", { scope: "row" }, el("a", { href: `#step=${i}`, tabindex: -1 }, number(i)), run.marks?.[i] === 3 && [" ", markBadge(3)]));
  for (const v of moving) {
    const cell = document.createElement("td");
    cell.className = before && before[v] !== state[v] ? `${valueClass(v)} changed` : valueClass(v);
    cell.textContent = legible(shown(data.json.variables[v], state[v]));
    if (run.exact?.[i]?.[v]) explain(cell, `exactly ${run.exact[i][v]}`);
    row.append(cell);
  }
  row.append(el("td", {}, step && actionBadge(step.action)));
  const choice = step?.choice;
  const firm = isTie(choice) ? el("span", { class: "badge tie" }, "tie") : isNearTie(choice) ? el("span", { class: "badge near" }, "near tie") : null;
  if (has.margin) row.append(el("td", { class: "number" }, typeof choice?.margin === "number" && number(choice.margin), firm && [" ", firm]));
  if (has.environment) row.append(el("td", {}, step && (environmentOf(run, step) ?? "")));
  if (has.chance) row.append(el("td", { class: "number", hint: step?.p ? `about ${number(step.p)}` : null }, step?.probability ?? ""));
  return row;
}

const LANES_AT_ONCE = 14;

/** The run as lanes: what the policy does and how firmly, what the environment does and how likely, then the variables that change. Gives `element` and `select(i)`. */
function runLanes(run, choose) {
  const moving = changingVariables(run);
  const holder = el("div");
  let lanes = null, at = 0;
  const build = (most) => {
    lanes = laneChart([...stepLanes(run), ...moving.slice(0, most).map((v) => variableLane(run, v))], run.states.length, choose, "The run as a timeline: arrow keys choose a state");
    const rest = moving.length - most;
    holder.replaceChildren(lanes.element, rest > 0
      ? el("p", { class: "toolbar" }, el("button", { type: "button", onclick: () => { build(moving.length); lanes.select(at); } }, `Show ${number(rest)} more variables as lanes`)) : "");
  };
  build(LANES_AT_ONCE);
  return { element: holder, select: (i) => lanes.select(at = i) };
}

function stepLanes(run) {
  const of = (get) => run.states.map((_, i) => (run.steps[i] ? get(run.steps[i]) ?? null : null));
  const lanes = [{ label: "action", hint: "what is done in each state", texts: of((step) => actionName(step.action)), actions: of((step) => step.action) }];
  const margins = of((step) => step.choice?.margin);
  if (margins.some((margin) => margin !== null)) {
    const most = Math.max(...margins.filter((margin) => margin !== null)) || 1;
    const sign = (step) => (isTie(step.choice) ? "=" : isNearTie(step.choice) ? "≈" : null);
    const words = { "=": " (tie)", "≈": " (near tie)" };
    const signs = of(sign);
    // The square root: small margins are the interesting ones, and would not be seen beside a large one.
    lanes.push({ label: "margin", hint: `${WORDS.margin}\nThe height grows with its square root; = is a tie, ≈ a near tie.`, signs,
      sizes: margins.map((margin) => (margin === null ? null : Math.sqrt(Math.max(0, margin) / most))),
      texts: margins.map((margin, i) => (margin === null ? null : number(margin) + (words[signs[i]] ?? ""))) });
  }
  const outcomes = of((step) => environmentOf(run, step));
  if (new Set(outcomes).size > 2) lanes.push({ label: "environment", hint: WORDS.outcome, texts: outcomes });
  const chances = of((step) => step.p);
  if (chances.some((p) => p !== null && p < 1)) {
    lanes.push({ label: "probability", hint: "how likely what the environment did was", sizes: chances, texts: of((step) => step.probability) });
  }
  // Of a run into an unsafe state it goes without saying that one can be reached.
  if (new Set(run.marks?.filter((mark) => mark > 0)).size > 1 && run.marks.some((mark) => mark === 1 || mark > 3)) lanes.push({ label: "known", hint: "what is known of each state", texts: run.marks.map((mark) => (mark > 0 ? markName(mark) : null)) });
  return lanes;
}

function variableLane(run, v) {
  const variable = data.json.variables[v];
  const values = run.states.map((state) => state[v]);
  const lane = { label: variable.name, texts: values.map((value) => shown(variable, value)) };
  if (variable.type === "bool") return { ...lane, on: values };
  if (variable.names) return lane;
  return { ...lane, values, lower: Math.min(...values), upper: Math.max(...values) };
}

/** A field of a table as a file: quoted where it must be. */
function csvField(value) {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** All states and steps, one line each; the last state has no step. */
function runAsCsv(run) {
  const { variables } = data.json;
  const head = ["state", ...variables.map((variable) => variable.name), "action", "operator", "outcome", "probability", "margin"];
  const lines = run.states.map((state, i) => {
    const step = run.steps[i];
    const rest = step ? [actionName(step.action), step.operator, step.outcome, step.probability, step.choice?.exact ?? step.choice?.margin] : ["", "", "", "", ""];
    return [i, ...variables.map((variable, v) => run.exact?.[i]?.[v] ?? plain(variable, state[v])), ...rest];
  });
  return [head, ...lines].map((fields) => fields.map(csvField).join(",") + "\r\n").join("");
}

/** The same as JSON, with all scores. */
function runAsJson(run) {
  const { variables, title } = data.json;
  const value = (variable, v, i) => {
    const rounded = run.states[i][v];
    return run.exact?.[i]?.[v] ?? (variable.type === "bool" ? Boolean(rounded) : variable.names ? plain(variable, rounded) : rounded);
  };
  const named = (_, i) => Object.fromEntries(variables.map((variable, v) => [variable.name, value(variable, v, i)]));
  const steps = run.steps.map((step) => ({
    action: step.action === null ? null : actionName(step.action), operator: step.operator, outcome: step.outcome, probability: step.probability,
    choice: step.choice && {
      network: step.choice.network, chosen: step.choice.chosen.map(actionName), margin: step.choice.exact ?? step.choice.margin,
      scores: step.choice.scores.map((score) => ({ action: actionName(score.action), score: score.exact ?? score.value, out: score.out })),
    },
  }));
  return JSON.stringify({ title, shows: run.shows, states: run.states.map(named), steps, loop: run.loop ?? null }, null, 1) + "\n";
}
