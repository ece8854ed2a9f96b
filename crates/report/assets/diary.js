// The diary of refinement: what each iteration of the search for a proof found, why that was no run of the model, and which predicates came of it.
//
// A path is shown by what changes from one abstract state to the next: most predicates stay as they are, and forty that do hide the one that does not.

/** Why a path is spurious: in short, and in full. The words are those of results. */
const CAUSES = {
  guard: ["a step is not possible", "Runs can follow the path up to this step, but then none of them can take it: its condition (the guard) is false wherever they come to."],
  target: ["its end is not unsafe", "Runs can follow the path to its end, but none of them is in an unsafe state there."],
  policy: ["the policy chooses otherwise", "Runs can follow the path up to this step, but the network chooses another action in the state where they are."],
  leaves: ["the run leaves the path", "A run takes the same steps, but it does not pass through the abstract states of the path: a predicate has another value in it from this step on."],
  separated: ["no run stays inside", "Each single step of the path is possible, but from different states: no one run passes through all of its abstract states."],
};

part("diary", "Diary", (json) => json.diary !== null && json.diary.length > 0, buildDiary);

function buildDiary(section, json) {
  const { diary, diary_predicates: predicates } = json;
  const added = diary.reduce((sum, entry) => sum + entry.added.length, 0);
  section.append(el("p", {}, "The proof was looked for on an abstraction. Each iteration looks for an ", term("abstract path"), " from a start state to an unsafe one. If no run follows it, it is ",
    term("spurious"), ", and new ", term("predicate", "predicates"), " rule it out (", term("refinement"), ")."));
  section.append(pairList([["Iterations", number(diary.length)], ["Predicates found on the way", number(added)], ["Abstract states at the end", number(diary.at(-1).states)],
    [term("question", "Questions"), number(diary.at(-1).questions)]]));
  if (diary.length > 1) section.append(causesBar(diary), growthFigure(diary));
  section.append(el("h3", {}, "Iteration by iteration"));
  const list = pagedList({ items: diary, noun: "iterations", size: 15, paper: 25, make: (entry, index) => diaryEntry(entry, index, json),
    words: (entry) => [entry.iteration, entry.cause, CAUSES[entry.cause]?.[0], ...entry.added].join(" "), wrap: (entries) => el("div", { class: "diary" }, entries) });
  section.append(list.element);
  if (predicates.length > 0) section.append(fold(`All ${number(predicates.length)} predicates, in the order in which they came`, () => literalList(predicates), { class: "wordy" }));
  route("iteration", (rest) => {
    const index = diary.findIndex((entry) => String(entry.iteration) === rest);
    if (index < 0) return;
    const shownEntry = list.reveal(index);
    shownEntry.scrollIntoView({ block: "start" });
    shownEntry.focus({ preventScroll: true });
  });
}

/** How often which cause. */
function causesBar(diary) {
  const counts = new Map();
  for (const { cause } of diary) if (cause !== null) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  return el("p", {}, "Paths were spurious because: ", [...counts].sort((a, b) => b[1] - a[1]).map(([cause, count], i) => [i > 0 && "; ", causeWords(cause), ` (${number(count)})`]), ".");
}

function causeWords(cause) {
  const [short, full] = CAUSES[cause] ?? [cause, null];
  return hinted(short, full);
}

function growthFigure(diary) {
  const series = [{ name: "questions", of: "questions" }, { name: "abstract states", of: "states" }, { name: "predicates", of: "predicates" }]
    .map(({ name: called, of }) => ({ name: called, values: diary.map((entry) => entry[of]) }));
  const chart = growthChart({ xs: diary.map((entry) => entry.iteration), series, title: "iteration",
    label: `Growth over ${number(diary.length)} iterations: ${series.map((one) => `${one.name} from ${number(one.values[0])} to ${number(one.values.at(-1))}`).join(", ")}` });
  return figure(chart, "Questions to the oracle (so far), abstract states that the search reached, and predicates that it had, by iteration.", "growth.svg");
}

function diaryEntry(entry, index, json) {
  const before = json.diary[index - 1];
  const asked = entry.questions - (before?.questions ?? 0);
  const facts = [`${number(entry.predicates)} ${entry.predicates === 1 ? "predicate" : "predicates"}`, `${number(entry.states)} abstract ${entry.states === 1 ? "state" : "states"}`,
    `${number(asked)} more ${asked === 1 ? "question" : "questions"}`].join(", ");
  return el("article", { id: `iteration-${entry.iteration}`, tabindex: -1 },
    el("h4", {}, el("a", { href: `#iteration-${entry.iteration}` }, `Iteration ${number(entry.iteration)}`), " ", el("span", { class: "soft small plain" }, facts)),
    el("p", {}, outcomeWords(entry, index, json)),
    entry.added.length > 0 && el("div", { class: "added" }, el("span", { class: "soft small" }, entry.added.length === 1 ? "new predicate" : `${number(entry.added.length)} new predicates`), literalList(entry.added, "added")),
    entry.path !== null && fold(`The abstract path, ${number(entry.path.length - 1)} ${entry.path.length === 2 ? "step" : "steps"}`, () => pathTable(entry, json)));
}

/** What came of the search: a path and why it is none, or that there is none. */
function outcomeWords({ path, cause, step }, index, { diary, verdict }) {
  if (cause !== null) {
    const length = path === null ? "A path" : `A path of ${number(path.length - 1)} ${path.length === 2 ? "step" : "steps"}`;
    return [`${length} to an unsafe abstract state. `, "Spurious at ", step === 0 ? "its start" : `step ${number(step)}`, ": ", causeWords(cause), "."];
  }
  if (index < diary.length - 1) return "Nothing was refined.";
  if (!verdict.checked) return `The result file says that it ended there: ${verdict.word}.`;
  if (verdict.word === "violated") return path === null ? "A run to an unsafe state was found." : "A run follows this path: it is the counterexample.";
  if (verdict.word === "holds") return "No abstract path leads to an unsafe state any more: the proof is complete.";
  return "The search ended here.";
}

/** The path, state by state: the step, where automata are, and the predicates that have another value than before. */
function pathTable({ path, step }, { diary_predicates: predicates }) {
  const row = (passed, at) => {
    const changes = at === 0 ? [] : [...passed.values].flatMap((value, i) => (value === path[at - 1].values[i] ? [] : [predicateLiteral(predicates[i], value === "1")]));
    const all = () => literalList([...passed.values].map((value, i) => predicateLiteral(predicates[i], value === "1")));
    return el("tr", { "aria-current": at === step ? "true" : null }, el("th", { scope: "row", class: "number" }, number(at)),
      el("td", {}, at === 0 ? el("span", { class: "soft" }, "start") : actionBadge(passed.action), at === step && [" ", el("span", { class: "badge near" }, "spurious here")]),
      el("td", {}, passed.locations.length > 0 && literalList(passed.locations),
        at === 0 ? all() : changes.length > 0 ? literalList(changes) : el("span", { class: "soft" }, "no predicate changes"),
        at > 0 && passed.values.length > changes.length && fold("all predicates", all, { class: "screen small" })));
  };
  const head = ["Step", "Action", "What changes"].map((text, i) => el("th", { scope: "col", class: i === 0 ? "number" : null }, text));
  return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, path.map(row))));
}

const OPPOSITE = { "<=": ">", ">": "<=", ">=": "<", "<": ">=", "=": "!=", "!=": "=", "≤": ">", "≥": "<", "≠": "=" };

/** A predicate that is true or false, in words: a single comparison is turned round, all else gets a sign before it. */
function predicateLiteral(predicate, value) {
  if (predicate === undefined) return value ? "true" : "false";
  if (value) return predicate;
  const compared = predicate.match(/<=|>=|!=|≤|≥|≠|<|>|=/g);
  if (compared?.length === 1 && !/[|&∧∨!¬"]/.test(predicate.replace("!=", ""))) return predicate.replace(compared[0], OPPOSITE[compared[0]]);
  if (!compared && /^![^|&()]*$/.test(predicate)) return predicate.slice(1).trim();
  return /^[^\s|&!()]+$/.test(predicate) ? `!${predicate}` : `!(${predicate})`;
}
