// The heads' rows of the sentence explorer: arcs from the query to each key, and bars under them.

import { h, svg } from "./dom.js";
import { headName, number } from "./sentence_words.js";
import { top } from "./sentence_math.js";

const THICKEST = 16; // of an arc, in pixels, for a weight of 1
const TALL = 100; // the arcs' drawing is 100 high and 100 wide a token, then stretched

/** One head's row. Returns { elements, update(query, weights, largest) }. */
export function headRow(head, words) {
  const arcs = words.map(() => svg("path", { class: `arc stroke-${head}`, "vector-effect": "non-scaling-stroke" }));
  const drawing = svg("svg", { viewBox: `0 0 ${100 * words.length} ${TALL}`, preserveAspectRatio: "none", class: "arcs", role: "img" }, arcs);
  const bars = words.map(() => h("div", { class: `bar head-${head}` }));
  const numbers = words.map(() => h("span", { class: "weight" }));
  const columns = words.map((_, j) => h("div", { class: "column", "aria-hidden": "true" },
    h("div", { class: "room" }, bars[j]), numbers[j]));
  const name = h("div", { class: "name", "aria-hidden": "true" }, h("span", { class: `chip head-${head}` }), headName(head));
  const update = (query, weights, largest) => {
    weights.forEach((weight, j) => {
      arcs[j].setAttribute("d", arc(query, j));
      arcs[j].setAttribute("stroke-width", Math.max(0.75, THICKEST * weight));
      arcs[j].classList.toggle("none", weight === 0);
      bars[j].style.height = `${(100 * weight) / largest}%`;
      numbers[j].textContent = weight === 0 ? "masked" : number(weight);
      columns[j].classList.toggle("masked", weight === 0);
      columns[j].classList.toggle("top", j === top(weights));
    });
    drawing.setAttribute("aria-label", described(head, words, query, weights));
  };
  return { elements: [name, drawing, ...columns], update };
}

function arc(query, key) {
  const [from, to] = [100 * query + 50, 100 * key + 50];
  return `M ${from} 0 C ${from} ${0.7 * TALL}, ${to} ${0.3 * TALL}, ${to} ${TALL}`;
}

function described(head, words, query, weights) {
  const seen = words.map((word, j) => [word, weights[j]]).filter(([, weight]) => weight > 0);
  const given = seen.map(([word, weight]) => `${word} ${number(weight)}`).join(", ");
  return `Arcs and bars of ${headName(head)}: ${words[query]} gives ${given}`;
}
