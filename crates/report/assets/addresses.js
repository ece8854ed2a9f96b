// What is looked at has an address that can be sent, and can be taken away: copied as text, saved as a file. And where the focus stays, and what is told to those who hear the page.

const routes = [];

/** Who opens `#word`, `#word-rest` and `#word=rest`; told the rest, decoded, and brings into view what it opens. `#state=3,5` is opened by `map.js`, which tells `state`. */
function route(word, open) {
  routes.push({ word, open });
}

/** Write what is looked at into the address, without a new entry in the history. */
function address(text) {
  try {
    history.replaceState(null, "", "#" + text);
  } catch { /* a page inside of another one may not: it is shown all the same */ }
}

/** A link to a state. Whoever shows states is told, once the address is opened. */
function stateLink(values, ...children) {
  const href = "#state=" + values.join(",");
  return el("a", { href, title: stateText(values), onclick: () => { if (location.hash === href) followAddress(); } }, children);
}

/** Make a change that may switch the focused button of a row off, or make the row's elements anew: the focus stays in the row, at the nearest button that is on. */
function keepFocus(row, change) {
  const of = () => [...row.querySelectorAll("button, a[href]")], focused = document.activeElement, at = of().indexOf(focused);
  change();
  if (at < 0 || (focused.isConnected && !focused.disabled)) return;
  const near = of().map((each, i) => [Math.abs(i - at), each]).filter(([, each]) => !each.disabled && each.checkVisibility()).sort(([a], [b]) => a - b)[0];
  near?.[1].focus({ preventScroll: true });
}

/** A button that copies what `text` gives when it is pressed. */
function copyButton(label, text, attributes) {
  const button = el("button", { type: "button", class: "copy", ...attributes, onclick: async () => {
    const done = await copy(text());
    button.textContent = done ? "Copied" : "Could not copy";
    announce(button.textContent);
    setTimeout(() => { button.textContent = label; }, 1500);
  } }, label);
  return button;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { // pages from a file may lack the clipboard: the old way works there
    const area = el("textarea", { class: "unseen" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** A button that saves what `content` gives (text, or a blob, or a promise of one) as a file. */
function saveButton(label, file, content, attributes) {
  return el("button", { type: "button", ...attributes, onclick: async () => {
    const link = el("a", { href: URL.createObjectURL(new Blob([await content()])), download: file });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  } }, label);
}

/** Tell those who hear the page instead of seeing it. */
function announce(text) {
  const voice = document.getElementById("voice");
  if (voice) voice.textContent = text;
}
