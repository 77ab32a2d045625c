// Native controls with labels, so that keyboard and screen reader work as everywhere.

import { h, freshId } from "./dom.js";

/** A whole number between two ends. Returns { element, get, set(value), bounds(min, max) }. */
export function slider({ label, hint = "", min, max, value, onInput }) {
  const id = freshId();
  // for the eye alone: a range tells its own value, and an <output> would be read aloud again
  const shown = h("span", { class: "value", "aria-hidden": "true" }, String(value));
  const input = h("input", { id, type: "range", min, max, step: 1, value });
  const get = () => Number(input.value);
  const show = () => { shown.textContent = input.value; };
  input.addEventListener("input", () => { show(); onInput(get()); });
  const name = h("label", { for: id }, h("b", {}, label), hint && ` ${hint}`);
  const set = (number) => { input.value = number; show(); };
  const bounds = (low, high) => {
    input.min = low;
    input.max = high;
    input.disabled = low === high;
    show();
  };
  return { element: h("div", { class: "slider" }, name, input, shown), get, set, bounds, input };
}

/** A switch. Returns { element, get, set(on) }. */
export function toggle({ label, value = false, onChange }) {
  const id = freshId();
  const input = h("input", { id, type: "checkbox", checked: value });
  input.addEventListener("change", () => onChange(input.checked));
  const element = h("div", { class: "toggle" }, input, h("label", { for: id }, label));
  return { element, get: () => input.checked, set: (on) => { input.checked = on; }, input };
}

/** One of a few, as a list that drops down. Options are [value, name]. */
export function choice({ label, options, value, onChange }) {
  const id = freshId();
  const make = ([key, name]) =>
    h("option", { value: key, selected: String(key) === String(value) }, name);
  const input = h("select", { id }, options.map(make));
  input.addEventListener("change", () => onChange(input.value));
  const element = h("div", { class: "choice" }, h("label", { for: id }, label), input);
  return { element, get: () => input.value, set: (key) => { input.value = key; }, input };
}

/** A button with words. */
export function button(label, onClick, attributes = {}) {
  return h("button", { type: "button", onclick: onClick, ...attributes }, label);
}

/** Controls that belong together, under a name. */
export function group(name, ...controls) {
  return h("fieldset", {}, h("legend", {}, name), controls.map((one) => one.element ?? one));
}
