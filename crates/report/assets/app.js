// The last of the files: takes the data apart, builds the parts in their order, and opens what the address asks for.
//
// A part that throws says so in its place, and the others are built all the same; what breaks before that is said at the top.

const FORMAT = 1;

/** Bytes from text in base 64. */
function octetsOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text), made = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) made[i] = letters.charCodeAt(i);
  return made;
}

async function readData() {
  if (typeof DecompressionStream !== "function") {
    throw new Error("This browser cannot unpack the data of this page. It needs Chrome or Edge 103, Firefox 113, Safari 16.4, or one that is newer.");
  }
  const read = await unpack(octetsOf(document.getElementById("data").textContent.trim()));
  if (read.json.format !== FORMAT) throw new Error(`The data of this page are of format ${read.json.format}, its script is for format ${FORMAT}.`);
  return read;
}

/** A box that says what is broken, in the words of the error. */
function problemBox(what, error) {
  console.error(error);
  return el("div", { class: "problem", role: "alert" }, `${what}\n${error.message}`);
}

/** Something else may happen in between: the browser shows what there is already. */
function breathe() {
  return new Promise((go) => { setTimeout(go); });
}

function isWanted({ wanted, id }) {
  try {
    return wanted(data.json);
  } catch (error) {
    console.error(id, error);
    return true; // then building it says what is wrong
  }
}

async function buildPart({ id, title, build, bare }, main) {
  const section = el("section", { class: "part", id, "aria-labelledby": `${id}-title` }, !bare && el("h2", { id: `${id}-title` }, title));
  main.append(section);
  try {
    await build(section, data.json);
  } catch (error) {
    section.append(problemBox(`“${title}” cannot be shown.`, error));
  }
}

part("words", "Words", () => true, buildGlossary);

/** The words of the trade that the page uses. */
function buildGlossary(section) {
  const list = el("dl", { class: "glossary" });
  const fill = () => list.replaceChildren(...[...wordsUsed].sort().flatMap((word) => [el("dt", {}, word), el("dd", {}, WORDS[word])]));
  fill();
  listen("paper", (starts) => { if (starts) fill(); }); // parts use more words while one looks around
  section.append(list);
}

function footer({ tool, version, mode }) {
  return el("footer", { class: "foot" }, el("p", {}, `Made by ${tool} ${version}. `,
    mode === "view" ? "This page is served on this computer alone, as long as the program runs." : "This page is one file: it needs nothing else, and asks nothing of the network."));
}

/** Opens what the address asks for: a part, or what a part has made a route for. */
function followAddress() {
  let text = location.hash.slice(1);
  try {
    text = decodeURIComponent(text);
  } catch { /* a lone % sign: it is taken as it is */ }
  document.getElementById("misread")?.remove();
  if (text === "") return;
  const fits = routes.filter(({ word }) => text === word || text.startsWith(`${word}-`) || text.startsWith(`${word}=`));
  const longest = Math.max(0, ...fits.map(({ word }) => word.length));
  if (fits.length === 0) document.getElementById(text)?.scrollIntoView();
  for (const { word, open } of fits) {
    if (word.length < longest) continue;
    try {
      open(text.slice(word.length + 1));
    } catch (error) {
      const box = el("p", { class: "problem", role: "alert", id: "misread", tabindex: -1 }, `The address “${text}” cannot be opened: ${error.message}.`);
      document.getElementById("main").prepend(box);
      box.focus();
    }
  }
}

async function openPage() {
  const page = document.getElementById("page"), main = document.getElementById("main");
  main.replaceChildren();
  try {
    data = await readData();
    nameMarks(data.json);
  } catch (error) {
    main.append(problemBox("This page cannot be shown.", error));
    return;
  }
  watchHints();
  watchKeys();
  watchPaper();
  const wanted = parts.filter(isWanted);
  const nav = makeContents(wanted);
  page.prepend(nav);
  page.classList.add("built");
  for (const each of wanted) {
    await buildPart(each, main);
    await breathe();
  }
  main.append(footer(data.json));
  markWhileScrolling(nav);
  tell("built");
  addEventListener("hashchange", followAddress);
  followAddress();
  document.documentElement.dataset.ready = "true";
}

await openPage();
