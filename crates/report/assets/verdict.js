// The top of the page: the verdict and all that someone needs who is to believe it, or to repeat it.
//
// The verdict is a word and a sign; the colour only says the same again.

/** How a verdict looks: the sign is a path in a circle of 24 by 24. */
const VERDICTS = {
  holds: { kind: "holds", sign: "M7 12.5l3.5 3.5l7-8", says: "Proved." },
  violated: { kind: "violated", sign: "M8 8l8 8M16 8l-8 8", says: "Refuted." },
  unknown: { kind: "unknown", sign: "M9 9.5a3 3 0 1 1 4.2 2.7c-.8.4-1.2.9-1.2 1.8M12 17v.5", says: "Not decided." },
  done: { kind: "done", sign: "M7 12h10", says: "" },
};

part("verdict", "Verdict", () => true, buildVerdict, true);

function buildVerdict(section, json) {
  const { verdict, subject } = json;
  const link = document.querySelector('.contents a[href="#verdict"]');
  if (link && !verdict.word) link.textContent = json.mode === "view" ? "The model" : "Result";
  section.append(
    verdictBox(json),
    ...(verdict.rests.length > 0 || verdict.certificate || verdict.no_certificate ? [el("h2", {}, "What it rests on"), restsList(verdict)] : []),
    ...assumptionsOf(json),
    el("h2", {}, "To repeat it"), commandBox(json.repeat),
  );
  if (json.inputs.length > 0) section.append(inputsTable(json.inputs, subject.question));
  section.append(el("h2", {}, "The question"), subjectPairs(json, subject), ...networksOf(subject.policy));
  if (json.statistics.length > 0 || secondsTaken() !== null) section.append(el("h2", {}, "Figures"), figurePairs(json));
}

/** The box with the word, its sign and the headline; the only `h1` of the page. */
function verdictBox({ subject, verdict }) {
  const { word, checked, headline, reason } = verdict;
  // What only a file says has no colour and no sign of its own.
  const looks = (checked ? VERDICTS[word] : null) ?? VERDICTS.done;
  // Headlines of the command line begin with the word, which is set apart here.
  const said = word && headline.startsWith(`${word}:`) ? headline.slice(word.length + 1).trim() : headline;
  const rest = word ? said : capital(said);
  const sign = svg("svg", { class: "sign", viewBox: "0 0 24 24", width: 30, height: 30, "aria-hidden": "true" },
    svg("circle", { cx: 12, cy: 12, r: 10.5 }), svg("path", { d: looks.sign }));
  return el("div", { class: `verdict ${looks.kind}` },
    el("p", { class: "soft" }, name([subject.model, subject.property?.name].filter(Boolean).join(", "))),
    el("h1", { id: "verdict-title" }, word && [sign, !checked && "the result file says ", el("span", { class: "word" }, word), ": "], name(rest)),
    !checked && el("p", {}, "Not checked here: it is what the file says."),
    reason && el("p", {}, name(reason)),
    soughtLine(subject));
}

const SOUGHT_AT_A_GLANCE = 200; // a longer condition stands with the question

/** Which states the verdict speaks of: nobody should have to open the property's file for that. */
function soughtLine({ question }) {
  const told = question.find(({ name: what }) => what === "unsafe states" || what === "states asked for");
  return told && told.text.length <= SOUGHT_AT_A_GLANCE && el("p", {}, `${capital(told.name)}: `, el("code", {}, name(told.text)));
}

function restsList({ rests, certificate, no_certificate: without, engine, seed }) {
  const items = rests.map((text) => el("li", {}, name(text)));
  if (engine) items.push(el("li", {}, term("engine", "Engine"), " ", name(engine), seed !== null && seed !== undefined && [", ", term("seed"), ` ${seed}`], "."));
  if (certificate) items.push(certificateItem(certificate));
  else if (without) items.push(el("li", {}, "No ", term("certificate"), ": ", name(without)));
  return el("ul", {}, items);
}

function certificateItem({ file, bytes, accepted, says }) {
  const size = bytes === null ? null : ` (${number(bytes)} bytes)`;
  const judged = accepted === true ? el("strong", { class: "judged good" }, "✓ accepted by the checker")
    : accepted === false ? el("strong", { class: "judged bad" }, "✗ refused by the checker") : el("span", {}, "not checked when this page was written");
  return el("li", {}, term("certificate", "Certificate"), " ", el("code", {}, file), size, ": ", judged, says && [" (", name(says), ")"], ".");
}

function assumptionsOf({ assumptions }) {
  if (assumptions.length === 0) return [el("p", { class: "soft" }, "Nothing is assumed beyond that.")];
  return [el("h3", {}, term("assumption", assumptions.length === 1 ? "Assumption" : "Assumptions")), el("ul", { class: "assumptions" }, assumptions.map((text) => el("li", {}, name(text))))];
}

function commandBox(command) {
  return el("div", { class: "command" }, el("pre", { tabindex: 0, "aria-label": "Command" }, command), copyButton("Copy", () => command, { "aria-label": "Copy the command" }));
}

function inputsTable(inputs, question) {
  // Texts of the command line have hashes too, and are no files that could be looked at.
  const texts = new Set(question.map(({ name: option }) => `<${option}>`));
  const lines = () => inputs.filter(({ name: file }) => !texts.has(file)).map(({ name: file, hash }) => `${hash}  ${file}`).join("\n") + "\n";
  return el("div", {},
    el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "File"), el("th", { scope: "col" }, term("hash", "Hash (SHA-256)")))),
      el("tbody", {}, inputs.map((input) => el("tr", {}, el("th", { scope: "row" }, name(input.name)), el("td", { class: "hash" }, input.hash)))))),
    el("p", { class: "screen" }, copyButton("Copy for sha256sum", lines)));
}

/** What was asked, of what: model, property, conditions, constants, policy. */
function subjectPairs(json, { model, property, question, constants, policy }) {
  const pairs = [["Model", name(model)], ["Property", property ? [name(property.name), property.index === null ? null : ` (number ${property.index} of its file)`] : "none"]];
  pairs.push(...question.map((each) => [name(capital(each.name)), el("code", { class: each.text.length > 80 ? "long" : null }, name(each.text))]));
  if (policy) pairs.push([term("policy", "Policy"), [name(policy.file), el("br", {}), term("filter"), policy.filter ? " on" : " off", ", ", term("tie", "ties"), " ", name(policy.ties)]]);
  pairs.push(...constants.map((each) => [["Constant ", name(each.name)], el("code", {}, each.value)]));
  pairs.push(["Variables", `${number(json.variables.length)}, of which ${number(json.variables.filter((variable) => variable.seen).length)} are seen by a network`]);
  pairs.push(["Actions", number(json.actions.length)]);
  return pairList(pairs);
}

function networksOf(policy) {
  if (!policy || policy.networks.length === 0) return [];
  const head = ["Network", "Inputs", "Hidden layers", "Outputs", "Parameters"].map((text, i) => el("th", { scope: "col", class: i === 0 || i === 2 ? null : "number" }, text));
  const row = (net) => el("tr", {}, el("th", { scope: "row" }, name(net.file)), el("td", { class: "number" }, number(net.inputs)),
    el("td", {}, net.hidden.map(number).join(" + ") || "none"), el("td", { class: "number" }, number(net.outputs)), el("td", { class: "number" }, number(net.parameters)));
  return [el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, policy.networks.map(row))))];
}

function figurePairs({ statistics }) {
  const pairs = statistics.map(({ name: called, value, hint }) => [hinted(called, hint), typeof value === "number" ? number(value) : name(value)]);
  const seconds = secondsTaken();
  if (seconds !== null) pairs.push(["Time", `${number(seconds)} s`]);
  return pairList(pairs);
}

/** How long it took, if the page was told: it is no part of the data, which are the same every time. */
function secondsTaken() {
  const told = document.querySelector('meta[name="surefoot-seconds"]')?.content;
  return told === undefined || told === "" || Number.isNaN(Number(told)) ? null : Number(told);
}

/** Pairs of a name and what it is. */
function pairList(pairs) {
  return el("dl", { class: "pairs" }, pairs.map(([what, is]) => el("div", {}, el("dt", {}, what), el("dd", {}, is))));
}

/** Text with an explanation of its own, for what is no word of the glossary. */
function hinted(text, hint) {
  return hint ? el("span", { class: "term", tabindex: 0, hint }, name(text)) : name(text);
}
