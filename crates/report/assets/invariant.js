// The invariant in words: what all of it has in common, where each variable ranges, and the regions that it consists of.
//
// It is a union of regions; a region is a conjunction of literals. What is common to all of them is said once.

part("invariant", "Invariant", (json) => json.invariant !== null, buildInvariant);

function buildInvariant(section, json) {
  const { count, what, common, ranges, regions, predicates } = json.invariant;
  section.append(
    el("p", {}, term("invariant", "Invariant"), ": ", name(what)),
    pairList([[term("region", "Regions"), number(count)], ...(predicates.length > 0 ? [[term("predicate", "Predicates"), number(predicates.length)]] : [])]),
  );
  if (common.length > 0) section.append(el("h3", {}, regions.length > 0 ? "In all of its regions" : "In all of its states"), literalList(common));
  if (ranges.length > 0) {
    const others = ranges.length < json.variables.length;
    section.append(el("h3", {}, "Where variables are in it"), rangesTable(ranges, json.variables), ...(others ? [el("p", { class: "soft small" }, "The predicates give no narrower range for the other variables.")] : []));
  }
  if (regions.length > 0) section.append(el("h3", {}, "The regions"), ...regionsOf(regions, count, common));
  else section.append(el("p", { class: "soft" }, "The regions are not written here one by one."));
  if (predicates.length > 0) {
    section.append(fold(`The ${number(predicates.length)} predicates that tell its regions apart`, () => literalList(predicates), { class: "wordy" }));
  }
}

/** Where the variables are inside the invariant, against where the model lets them be. */
function rangesTable(ranges, variables) {
  const head = ["Variable", "Range within its domain", "From", "To", "Domain"].map((text, i) => el("th", { scope: "col", class: i === 2 || i === 3 ? "number" : null }, text));
  const row = ({ variable: index, lower, upper }) => {
    const variable = variables[index];
    const domain = domainOf(variable);
    const [from, to] = [shown(variable, lower), shown(variable, upper)];
    const whole = domain !== null && lower <= domain[0] && upper >= domain[1];
    const words = domain === null ? "no bounds" : `${shown(variable, domain[0])} to ${shown(variable, domain[1])}`;
    const bar = domain !== null && rangeBar(lower, upper, domain, `${variable.name} from ${from} to ${to} of ${words}`);
    return el("tr", {}, el("th", { scope: "row" }, name(variable.name)), el("td", { class: "ranges" }, bar || "–"), el("td", { class: "number" }, name(from)),
      el("td", { class: "number" }, name(to)), el("td", {}, whole ? "all of it: " : null, name(words)));
  };
  return pagedList({ items: ranges, make: row, noun: "variables", size: 40, paper: 400, words: ({ variable }) => variables[variable].name,
    wrap: (rows) => el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows))) }).element;
}

/** The least and the greatest value of a variable; null where the model gives none. */
function domainOf({ type, lower, upper, names }) {
  if (type === "bool") return [0, 1];
  if (names) return [0, names.length - 1];
  return lower === null || upper === null ? null : [lower, upper];
}

function regionsOf(regions, count, common) {
  const said = common.length > 0 ? "Each is what all have in common, and besides:" : "A state is in the invariant if it is in one of them:";
  const list = pagedList({ items: regions, noun: "regions", words: (literals) => literals.join(" ∧ "), make: (literals, index) => el("li", { value: index + 1 },
    literals.length > 0 ? literalList(literals) : el("span", { class: "soft" }, common.length > 0 ? "nothing besides" : "all states")), wrap: (rows) => el("ol", { class: "regions" }, rows) });
  return [el("p", {}, said), list.element,
    count > regions.length && el("p", { class: "note" }, `These are the first ${number(regions.length)} of ${number(count)} regions; the certificate has all of them.`)].filter(Boolean);
}
