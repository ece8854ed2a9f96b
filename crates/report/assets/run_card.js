// One state as people look at it: its drawing, its values, what the policy chooses there and how firmly. The run, the map and the simulator show states so.
//
// A choice is as the page has it; maps know less (no exact numbers, perhaps no scores), and then less is shown.

let onlyValues = null;
let stillOpen = false; // whether unchanging variables are shown: kept from card to card, so that stepping does not close them

/** Variables that have the same value in all states that the page knows, with that value. They are folded away. */
function unchangingValues() {
  if (onlyValues) return onlyValues;
  onlyValues = new Map();
  const { run, states, variables } = data.json;
  const columns = run ? null : states?.values.map((each) => column(each));
  const count = run ? run.states.length : states?.count ?? 0;
  variables.forEach((_, v) => {
    const value = (i) => (run ? run.states[i][v] : columns[v][i]);
    for (let i = 1; i < count; i++) if (value(i) !== value(0)) return;
    if (count > 1) onlyValues.set(v, value(0));
  });
  return onlyValues;
}

/** The definition that `near tie` has in WORDS. */
function isNearTie(choice) {
  if (!choice || choice.chosen.length !== 1 || typeof choice.margin !== "number") return false;
  const sizes = choice.scores.filter((score) => !score.out).map((score) => Math.abs(score.value));
  return choice.margin < Math.max(...sizes) / 1000;
}

function isTie(choice) {
  return (choice?.chosen.length ?? 0) > 1;
}

/**
 * One state: its drawing, if there is one for it, its values, and the policy's choice. `mark` is what is known of it. Where `before` (the state before it) is
 * given, what changed is in bold; `exact` has the texts of values that were rounded.
 */
function stateCard(values, choice = null, mark = 0, { before = null, exact = null, title = "State" } = {}) {
  const drawing = typeof drawState === "function" ? drawState(values) : null;
  return el("div", { class: "now" },
    drawing && el("div", {}, drawing),
    el("div", {}, el("h4", {}, title, mark > 0 && [" ", markBadge(mark)]), valueList(values, before, exact)),
    choice && el("div", {}, el("h4", {}, "The policy's choice"), choiceView(choice)));
}

function markBadge(mark) {
  const kind = { 1: "goal", 2: "tie", 3: "unsafe" }[mark] ?? "";
  return el("span", { class: `badge ${kind}` }, markName(mark));
}

const MOST_AT_A_GLANCE = 24;

function valueList(values, before, exact) {
  const moving = [], still = [], news = [], order = new Map();
  data.json.variables.forEach((variable, v) => {
    const changed = before && before[v] !== values[v];
    const text = shown(variable, values[v]);
    const rounded = exact?.[v] ? `exactly ${exact[v]}` : null;
    const was = changed ? `before: ${shown(variable, before[v])}` : null;
    const item = el("div", {}, el("dt", {}, name(variable.name)),
      el("dd", { class: changed ? "changed" : null, hint: [rounded, was].filter(Boolean).join("\n") || null }, text));
    (changed ? news : unchangingValues().get(v) === values[v] ? still : moving).push(item);
    order.set(item, v);
  });
  // What changed comes first where it would be lost among the others; else each value keeps its place.
  moving.unshift(...news);
  if (moving.length <= MOST_AT_A_GLANCE) moving.sort((one, other) => order.get(one) - order.get(other));
  if (moving.length === 0) return el("dl", { class: "values" }, still);
  return [
    el("dl", { class: "values" }, moving),
    // On paper, what never changes stands once, with the table of the run.
    still.length > 0 && el("details", { class: data.json.run ? "screen" : null, open: stillOpen, ontoggle: (event) => { stillOpen = event.target.open; } },
      el("summary", { class: "soft small" }, `${number(still.length)} that never ${still.length === 1 ? "changes" : "change"}`), el("dl", { class: "values" }, still)),
  ];
}

/** What the policy chooses, by how much, and all scores as bars. */
function choiceView(choice) {
  const several = (data.json.subject?.policy?.networks?.length ?? 0) > 1;
  return [
    el("p", {}, choice.chosen.length === 0 ? "none" : choice.chosen.map((action, i) => [i > 0 && " or ", actionBadge(action)]),
      isTie(choice) && [" ", el("span", { class: "badge tie" }, term("tie"))], isNearTie(choice) && [" ", el("span", { class: "badge near" }, term("near tie"))]),
    typeof choice.margin === "number" && !isTie(choice) && el("p", { class: "small" }, term("margin", "Margin"), " ",
      el("span", { hint: choice.exact ? `exactly ${choice.exact}` : null }, number(choice.margin)),
      choice.runner_up !== null && choice.runner_up !== undefined && [" over ", actionBadge(choice.runner_up)]),
    several && choice.network && el("p", { class: "small soft" }, "network ", name(choice.network)),
    choice.scores.length > 0 && scoreBars(choice),
  ];
}

const MOST_SCORES = 16; // more are shown best first, the others folded away

function scoreBars(choice) {
  const many = choice.scores.length > MOST_SCORES;
  const ordered = many ? [...choice.scores].sort((a, b) => b.value - a.value) : choice.scores;
  const finite = ordered.map((score) => score.value).filter(Number.isFinite);
  const low = Math.min(0, ...finite), high = Math.max(0, ...finite), size = high - low || 1;
  const place = (value) => ((value - low) / size) * 100;
  const row = (score) => {
    const chosen = choice.chosen.includes(score.action);
    const known = Number.isFinite(score.value);
    const [from, to] = known ? [place(Math.min(0, score.value)), place(Math.max(0, score.value))] : [0, 0];
    const style = { left: `${from}%`, width: `${to - from}%`, background: `var(${actionVariable(score.action)})`, opacity: score.out ? "0.3" : "1" };
    return [
      el("span", { class: score.out ? "out" : null }, actionBadge(score.action)),
      el("span", { class: "bar", "aria-hidden": "true" }, el("span", { style })),
      el("span", { class: score.out ? "value out" : "value", hint: score.exact && score.exact !== String(score.value) ? `exactly ${score.exact}` : null },
        chosen ? el("strong", {}, number(score.value), el("span", { class: "unseen" }, ", chosen")) : known ? number(score.value) : "–",
        score.out && el("span", { class: "soft", hint: WORDS.filter }, " out")),
    ];
  };
  const bars = (scores) => el("div", { class: "scores" }, scores.map(row));
  const most = many ? ordered.slice(0, MOST_SCORES - 4) : ordered;
  return [bars(most), many && el("details", {}, el("summary", { class: "small" }, `${number(ordered.length - most.length)} lower scores`), bars(ordered.slice(most.length)))];
}

/** A state as the command line takes it in `--state`; exact where a value was rounded. */
function stateOption(values, exact = null) {
  return data.json.variables.map((variable, v) => `${variable.name}=${exact?.[v] ?? plain(variable, values[v])}`).join(", ");
}

const PLAIN_NAME = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?(\[\d+\])*$/;
const KEPT_WORDS = new Set(("and or not implies at min max mod pow log abs floor ceil sgn trc ite true false " +
  "A E U W X F G AX EX AF EF AG EG").split(" "));

function conditionName(text) {
  return PLAIN_NAME.test(text) && !KEPT_WORDS.has(text) ? text : `"${text}"`;
}

/** A state as a condition, as `--start` takes it: `x = 3 & door`. */
function stateCondition(values, exact = null) {
  return data.json.variables.map((variable, v) => {
    const who = conditionName(variable.name);
    if (variable.type === "bool") return values[v] ? who : `!${who}`;
    if (variable.type === "location") return `${who} at ${conditionName(plain(variable, values[v]))}`;
    return `${who} = ${exact?.[v] ?? plain(variable, values[v])}`;
  }).join(" & ");
}

/** The address of a state: `state=x=3,y=5`, with what an address cannot hold escaped. */
function stateAddress(values) {
  const kept = (text) => encodeURIComponent(text).replace(/%5B/g, "[").replace(/%5D/g, "]");
  return "state=" + data.json.variables.map((variable, v) => `${kept(variable.name)}=${kept(plain(variable, values[v]))}`).join(",");
}

/** A link to a place of this page, to be sent. */
function linkTo(place) {
  return location.href.split("#")[0] + "#" + place;
}

let addressAhead = null, addressBusy = false;

/** `address`, at most some times a second: browsers complain about more, and a held key or a slider would. The last one is always written. */
function addressSoon(text) {
  addressAhead = text;
  if (addressBusy) return;
  address(text);
  addressBusy = true;
  setTimeout(() => {
    addressBusy = false;
    if (addressAhead !== text) addressSoon(addressAhead);
  }, 200);
}

/** Whether two states that look the same differ in values that were rounded; where nobody said (`undefined`), they do not. */
function differExactly(one, other) {
  return one !== undefined && other !== undefined && JSON.stringify(one) !== JSON.stringify(other);
}

/** Whether two states are the same one. */
function sameState(one, other) {
  return one.length === other.length && one.every((value, v) => value === other[v]);
}

/** A state to begin with, and to complete states of which only some values are given. */
function firstState() {
  const { run, slices, states, variables } = data.json;
  return run?.states[0] ?? slices?.bases[0]?.state ?? (states ? reachedState(0) : variables.map((variable) => variable.lower ?? 0));
}

/** A start state with the texts of its rounded values: where runs made by hand begin. */
function startState() {
  const { start } = data.json;
  return start ? { values: start.state, exact: start.exact } : { values: firstState(), exact: null };
}

// A link to a state; the parts that know the state show it.
route("state", (rest) => {
  const values = [...firstState()];
  for (const [v, value] of parseState(rest)) values[v] = value;
  tell("state", { values, from: "address" });
});
