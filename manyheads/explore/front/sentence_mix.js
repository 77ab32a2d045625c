// The joined features and W_O as one table that can be edited: a row a feature, the mix below.

import { h } from "./dom.js";
import { featureName, number } from "./sentence_words.js";

/** The table. onEdit(Wo) gets the whole new matrix, onBad(words) what is wrong or "". */
export function mixTable({ Dh, Wo, onEdit, onBad }) {
  const D = Wo[0].length;
  const now = Wo.map((row) => [...row]);
  const inputs = now.map((row, i) => row.map((_, j) => entry(i, j)));
  const joined = now.map(() => h("td", { class: "number" }));
  const added = now.map((row) => row.map(() => h("td", { class: "number" })));
  const mix = now[0].map(() => h("td", { class: "number mix" }));

  function entry(i, j) {
    const label = `W_O row ${i}, column ${j}: ${featureName(i, Dh)} to feature ${j}`;
    const input = h("input", { type: "number", step: "0.1", "aria-label": label, value: now[i][j] });
    input.addEventListener("input", () => read(input, i, j));
    return input;
  }

  function read(input, i, j) {
    const good = input.value.trim() !== "" && Number.isFinite(input.valueAsNumber);
    input.setAttribute("aria-invalid", String(!good));
    onBad(good ? "" : `W_O row ${i}, column ${j} needs a number; ${now[i][j]} is kept.`);
    if (!good) return;
    now[i][j] = input.valueAsNumber;
    onEdit(now.map((row) => [...row]));
  }

  const rows = now.map((_, i) => h("tr", {},
    h("th", { scope: "row" }, h("span", { class: `chip head-${Math.floor(i / Dh)}` }), featureName(i, Dh)),
    joined[i], inputs[i].map((input) => h("td", {}, input)), added[i]));
  const table = h("table", { class: "mixing" },
    h("caption", {}, "Joined heads times W_O: each row adds to the residual, and the sum is the mix."),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "from"), h("th", { scope: "col" }, "joined"),
      columns(D, "W_O, feature"), columns(D, "adds, feature"))),
    h("tbody", {}, rows),
    h("tfoot", {}, h("tr", {}, h("th", { scope: "row", colspan: 2 + D }, "mix = sum of what the heads add"), mix)));

  const set = (matrix) => {
    matrix.forEach((row, i) => row.forEach((value, j) => {
      now[i][j] = value;
      inputs[i][j].value = String(value);
      inputs[i][j].setAttribute("aria-invalid", "false");
    }));
    onBad("");
    onEdit(now.map((row) => [...row]));
  };
  const update = (result) => {
    result.joined.forEach((value, i) => { joined[i].textContent = number(value); });
    result.added.forEach((row, i) => row.forEach((value, j) => { added[i][j].textContent = number(value); }));
    result.mix.forEach((value, j) => { mix[j].textContent = number(value); });
  };
  return { element: table, set, update, get: () => now.map((row) => [...row]) };
}

function columns(D, name) {
  return Array.from({ length: D }, (_, j) => h("th", { scope: "col" }, `${name} ${j}`));
}
