// What the picture's signs and colours mean, and what is under the pointer.

function legendOf(graph) {
  return el("div", {},
    el("ul", { class: "legend" }, marksOf(graph, 0).map((mark) => el("li", { hint: markHint(graph, mark.bit) }, markSymbol(mark), mark.name, " ", el("span", { class: "soft" }, `(${number(mark.count)})`))),
      el("li", { hint: "Double click or Enter opens it." }, el("span", { class: "glyph" }, "▣"), "a group: it can be opened"),
      el("li", { hint: "The state of the model that another part of the page shows: it belongs to this box." }, el("span", { class: "glyph", style: { color: "var(--link)" } }, "◥"), "the state that is looked at"),
      el("li", {}, el("span", { class: "glyph" }, "→"), "moves; the thicker, the more. Out of the selected box: solid, in colour; into it: dashed")),
    graph.value && valueLegend(graph));
}

function markHint(graph, bit) {
  if (bit === NODE_TERMINAL) return graph.complete ? "A deadlock: no transition leaves this state." : "The graph is not complete: there may be transitions all the same.";
  if (bit === NODE_UNEXPANDED) return "The search stopped before it asked where the transitions of this state lead.";
  if (bit === NODE_ONPATH && graph.kind === "abstract") return WORDS["abstract path"];
  return null;
}

/** The colours of values, from nothing to the largest, with numbers beside them. */
function valueLegend(graph) {
  valueShare(graph, 1); // makes the scale
  const { most, least, log } = graph.valueScale;
  const steps = log ? [0, least, Math.sqrt(least * most), most] : [0, most / 3, (most * 2) / 3, most];
  const bound = term("bound", "at most");
  return el("ul", { class: "legend" }, el("li", {}, "Colour: the probability from there, ", bound, log ? " (in powers of ten):" : ":"),
    steps.map((value) => el("li", {}, el("span", { class: "swatch", style: { background: `rgb(${valueRgb(graph, value)})` } }), number(Number(value.toPrecision(2))))));
}

/** What is under the pointer, in words. */
function tipOfNode(graph, node) {
  const marks = marksText(graph, node), value = valueText(graph, node);
  return el("div", {}, nodeLines(graph, node).map((line) => el("div", {}, el("strong", {}, name(line)))),
    el("div", {}, `${sizeText(graph, node)}${isLeaf(graph, node) ? "" : `, in ${number(graph.childCount[node])} parts`}`), marks && el("div", {}, marks), value && el("div", {}, `value: ${value}`));
}

function tipOfEdge(graph, edge) {
  const actions = actionsBetween(graph, edge.source, edge.target), above = commonGroup(graph, edge.source, edge.target);
  return el("div", {}, el("div", {}, el("strong", {}, `${number(edge.count)} ${edge.count === 1 ? "move" : "moves"}`), " from ", name(longName(graph, edge.source, above)), " to ", name(longName(graph, edge.target, above))),
    actions.slice(0, 8).map((one) => el("div", {}, name(moveActionName(one.action)), one.count > 1 || edge.count > 1 ? ` (${number(one.count)})` : "", chanceText(one))),
    actions.length > 8 && el("div", {}, `and ${number(actions.length - 8)} more actions`));
}

/** The probabilities of moves of an action; nothing where there are none. */
function chanceText({ least, most }) {
  if (most === -Infinity || (least === 1 && most === 1)) return "";
  const rounded = (value) => number(Number(value.toPrecision(6))); // single precision holds no more
  return least === most ? `, probability ${rounded(least)}` : `, probabilities ${rounded(least)} to ${rounded(most)}`;
}
