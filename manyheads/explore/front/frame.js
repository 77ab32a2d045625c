// What every explorer has: a title, controls, a picture, a sentence read aloud, a table.

import { h } from "./dom.js";
import { followTheme } from "./theme.js";

/**
 * Open an explorer inside `host` and return its parts:
 *   controls, picture   elements to fill
 *   say(sentence)       shown below the picture and read aloud
 *   refuse(sentence)    the rule that broke, read at once; "" when all is well
 *   describe(label)     what the picture shows, for who can't see it
 *   tabulate(caption, head, rows)   the same as a table; the first cell of a row names it
 *   onClose(stop)       called when the notebook takes the explorer away
 *   close()             stops everything; what mount() returns
 * A shadow root keeps the page's own styles for tables and images out.
 */
export function openFrame(host, title, css) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const controls = h("div", { class: "controls" });
  const picture = h("div", { class: "picture", role: "img" });
  const broken = h("p", { class: "broken", role: "alert" });
  const sentence = h("p", { class: "says", role: "status", "aria-live": "polite" });
  const table = h("table");
  const words = h("details", {}, h("summary", {}, "The same as a table"), scroller(table, `${title}, as a table`));
  const section = h("div", { class: "explorer", role: "group", "aria-label": title },
    h("p", { class: "title", "aria-hidden": "true" }, title),
    controls, broken, picture, sentence, words);
  root.replaceChildren(h("style", {}, css), section);
  const stops = [followTheme(host), keepKeys(host)];
  return {
    host, root, section, controls, picture,
    say: (text) => setText(sentence, text),
    refuse: (text) => setText(broken, text),
    describe: (label) => picture.setAttribute("aria-label", label),
    tabulate: (caption, head, rows) => fillTable(table, caption, head, rows),
    onClose: (stop) => stops.push(stop),
    close: () => stops.splice(0).forEach((stop) => stop()),
  };
}

/** A box that scrolls sideways when its content is wider; the keyboard reaches it.
 * It is a group, as the explorer is: landmarks must differ in name, and a page may hold many. */
export function scroller(content, label) {
  return h("div", { class: "scroller", role: "group", tabindex: "0", "aria-label": label }, content);
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Fill a table: a caption, column heads, rows whose first cell is a head. */
export function fillTable(table, caption, head, rows) {
  const line = ([name, ...cells]) =>
    h("tr", {}, h("th", { scope: "row" }, name), cells.map((cell) => h("td", {}, cell)));
  table.replaceChildren(
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, rows.map((row) => line(row.map(String)))),
  );
}

/** Keys pressed inside belong to the explorer: notebooks would move to the next cell. */
function keepKeys(host) {
  host.setAttribute("data-lm-suppress-shortcuts", "true"); // JupyterLab listens before us
  const keep = (event) => {
    if (!event.ctrlKey && !event.metaKey && event.key !== "Escape") event.stopPropagation();
  };
  host.addEventListener("keydown", keep);
  return () => host.removeEventListener("keydown", keep);
}
