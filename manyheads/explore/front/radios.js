// A row of words of which one is chosen: one stop for Tab, arrows move the choice.

import { h } from "./dom.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** The place a key leads to from `at` among `count`, round the ends; null for other keys. */
export function placeAfter(key, at, count) {
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return key in STEPS ? (at + STEPS[key] + count) % count : null;
}

/** Radio buttons. Returns { element, set(place) }; onChoose(place) tells what a person chose. */
export function radios({ label, words, value, onChoose }) {
  let at = value;
  const buttons = words.map((word, place) =>
    h("button", { type: "button", role: "radio", onclick: () => choose(place) }, word));
  const element = h("div", { role: "radiogroup", "aria-label": label, class: "radios" }, buttons);
  const set = (place) => {
    at = place;
    buttons.forEach((button, i) => {
      button.setAttribute("aria-checked", String(i === place));
      button.tabIndex = i === place ? 0 : -1;
    });
  };
  function choose(place) {
    set(place);
    buttons[place].focus();
    onChoose(place);
  }
  element.addEventListener("keydown", (event) => {
    const place = placeAfter(event.key, at, words.length);
    if (place === null || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    choose(place);
  });
  set(value);
  return { element, set };
}
