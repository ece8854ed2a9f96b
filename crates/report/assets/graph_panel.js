// What is known of the selected group or state, in words: where it is, how much it holds, what is true in all of it, what splits it, and where its moves lead.

const LITERALS_SHOWN = 40;

/** Fill the panel and the way from the root to the selected node. */
function fillPanel(viewer, panel, crumbs, asking) {
  const { scene } = viewer, { graph, selected: node } = scene, deciding = decidingIn(graph, node);
  crumbs.replaceChildren(...pathTo(graph, node).map((each) => crumbOf(viewer, each, each === node)));
  const single = statesIn(graph, node) === 1, value = valueText(graph, node), marks = marksOf(graph, node);
  panel.replaceChildren(...[
    el("h3", {}, single ? `${graph.kind === "abstract" ? "Abstract state" : "State"} ${graph.tree.lo[node]}` : `${number(statesIn(graph, node))} ${graph.kind === "abstract" ? "abstract states" : "states"}`),
    el("div", { class: "toolbar" }, panelButtons(viewer, node)),
    marks.length > 0 && el("ul", { class: "legend" }, marks.map((mark) => el("li", {}, markSymbol(mark), single ? mark.name : `${number(mark.count)} ${mark.name}`))),
    value && el("p", {}, "The probability from there: ", value, "."),
    single && el("p", { class: "soft small" }, layerText(graph, graph.tree.lo[node])),
    ...literalsOf(graph, node),
    deciding.length > 0 && el("p", {}, `It splits into ${number(graph.childCount[node])} parts (${levelName(graph, node + 1)}), by `,
      deciding.slice(0, 12).map((attribute, i) => [i > 0 && ", ", el("code", {}, name(attributeText(graph, attribute)))]), deciding.length > 12 && ` and ${number(deciding.length - 12)} more`, "."),
    ...movesTable(graph, node),
    asking && single && unfoldBox(viewer, graph.tree.lo[node]),
  ].filter(Boolean));
}

function crumbOf(viewer, node, last) {
  const { graph } = viewer.scene;
  const button = el("button", { type: "button", "aria-current": last ? "true" : null, onclick: () => {
    selectNode(viewer, node);
    enterNode(viewer, node);
  } }, name(nodeName(graph, node)));
  return el("li", { hint: `${levelName(graph, node)}, ${sizeText(graph, node)}` }, node > 0 && el("span", { "aria-hidden": "true" }, "›"), button);
}

function levelName(graph, node) {
  return graph.levels[Math.min(graph.tree.level[node], graph.levels.length - 1)].name;
}

/** An attribute as a person asks for it: its name, or what it says when it is true. */
function attributeText(graph, attribute) {
  const { name: what, words } = graph.attributes[attribute];
  return words?.[1] ?? what;
}

/** How far it is from a start state. */
function layerText(graph, state) {
  const layer = graph.layer[state];
  if (!isReached(graph, state)) return "No moves of the graph lead there from a start state.";
  return layer === 0 ? "A start state." : `${counting(layer, "step")} from a start state.`;
}

function panelButtons(viewer, node) {
  const { graph } = viewer.scene, [lo, hi] = [graph.tree.lo[node], graph.tree.hi[node]];
  const button = (label, act, attributes) => el("button", { type: "button", ...attributes, onclick: act }, label);
  return [
    button(isLeaf(graph, node) ? "Go there" : "Open", () => enterNode(viewer, node)),
    node > 0 && button("Close", () => selectNode(viewer, leaveNode(viewer, node)), { hint: "Close this group, or the one that it is in" }),
    copyButton("Copy link", () => `${location.href.split("#")[0]}#node=${lo}-${hi}`),
  ];
}

/** What holds in all states of the node; what tells it from its neighbours is first, and set apart. */
function literalsOf(graph, node) {
  const found = allLiterals(graph, node), own = found.filter((each) => each.own).length;
  const items = (some) => some.map((each) => el("li", { class: each.own ? "added" : null, hint: each.own ? "tells it from its neighbours" : null }, name(each.text)));
  const open = graph.attributes.length - found.length;
  const heading = found.length === 0 ? "They have no condition in common." : statesIn(graph, node) === 1 ? "What holds there" : "What holds in all of them";
  if (found.length === 0) return [el("p", {}, heading)];
  return [
    el("h4", {}, heading),
    el("ul", { class: "literals" }, items(found.slice(0, LITERALS_SHOWN))),
    found.length > LITERALS_SHOWN && el("details", {}, el("summary", {}, `${number(found.length - LITERALS_SHOWN)} more`), el("ul", { class: "literals" }, items(found.slice(LITERALS_SHOWN)))),
    el("p", { class: "soft small" }, own > 0 && "Framed: what tells it from its neighbours. ", open > 0 && `${number(open)} more differ from state to state.`),
  ];
}

function movesTable(graph, node) {
  const moves = movesOf(graph, node), single = statesIn(graph, node) === 1;
  if (moves.length === 0) return [el("p", { class: "soft" }, "No moves lead in or out.")];
  const cell = (count) => el("td", { class: "number" }, count ? number(count) : "–");
  return [
    el("h4", {}, "Moves"),
    el("div", { class: "scroll" }, el("table", {},
      el("thead", {}, el("tr", {}, el("th", {}, "Action"), el("th", { class: "number" }, "out"), el("th", { class: "number" }, single ? "to itself" : "within"), el("th", { class: "number" }, "in"))),
      el("tbody", {}, moves.map((move) => el("tr", {}, el("th", {}, moveAction(move.action)), cell(move.leave), cell(move.stay), cell(move.enter)))))),
  ];
}

function markSymbol(mark) {
  return el("span", { class: "glyph", "aria-hidden": "true", style: { color: `var(${mark.colour})`, background: `var(${mark.ground})` } }, mark.symbol);
}

/** Ask the program that serves the page what can happen in a state of the graph. */
function unfoldBox(viewer, state) {
  const answer = el("div", { "aria-live": "polite" });
  const button = el("button", { type: "button", onclick: async () => {
    button.disabled = true;
    answer.replaceChildren(el("p", { class: "soft" }, "Asking…"));
    try {
      answer.replaceChildren(...unfoldedParts(viewer, await ask("unfold", { node: state, graph: viewer.scene.graph.number ?? 0 })));
    } catch (problem) {
      answer.replaceChildren(el("p", { class: "problem" }, name(problem.message)));
    }
    button.disabled = false;
  } }, "Unfold");
  return el("div", {}, el("h4", {}, "What can happen there"), el("p", { class: "small soft" }, viewer.scene.graph.kind === "abstract" ? "Asks the solver which actions can be chosen in some state of this abstract state, and where they lead." : "Asks what the policy and the environment can do there, and where that leads."), el("p", {}, button), answer);
}

function unfoldedParts(viewer, { words, moves, example, exact }) {
  const goTo = (state) => el("button", { type: "button", onclick: () => goToState(viewer, state) }, `state ${state}`);
  const made = words.map((text) => el("p", {}, name(text)));
  if (moves.length) {
    made.push(el("ul", {}, moves.map((move) => el("li", {}, moveAction(move.action ?? NONE16), " ", move.node !== null && goTo(move.node), " ",
      move.unsafe && el("span", { class: "badge unsafe" }, markName(3)), " ", move.words.map((text, i) => [i > 0 && ", ", name(text)])))));
  } else made.push(el("p", {}, "No move leaves it."));
  if (example) made.push(el("p", {}, "A state of the model in it: ", el("code", {}, name(stateOption(example, exact))), " ", el("button", { type: "button", onclick: () => tell("state", { values: example, exact, from: "abstraction" }) }, "Look at it")));
  return made;
}

/** Select a single state of the graph and go to it. */
function goToState(viewer, state) {
  const node = nodeOf(viewer.scene.graph, state, state + 1);
  selectNode(viewer, node);
  revealNode(viewer, node);
}
