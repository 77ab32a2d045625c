// One sample drawn as grids whose cells name the token and the feature they came from.

import { h } from "./dom.js";

/** A number's name: 100 * token + feature, at three digits. */
export function nameOf(token, feature) {
  return String(100 * token + feature).padStart(3, "0");
}

/**
 * Draw the grids of `table` (see shape_stages.js) under a heading; the cell that came from
 * `followed` { t, f } is framed, and a cell that left its own token's row is underlined.
 */
export function drawGrids(heading, { grids, row }, followed) {
  return h("div", { class: "drawn" }, h("p", { class: "name" }, heading),
    h("div", { class: "grids" }, grids.map((grid) => drawGrid(grid, row, followed))));
}

function drawGrid({ title, rows, columns, source, owner }, row, followed) {
  const lines = Array.from({ length: rows }, (_, i) =>
    h("div", { class: i === row ? "line marked" : "line" },
      h("span", { class: "token" }, `t${i}`),
      Array.from({ length: columns }, (_, j) => drawCell(i, j, source, owner, followed))));
  return h("div", { class: "grid" }, title && h("p", { class: "name" }, title), lines);
}

function drawCell(i, j, source, owner, followed) {
  const head = owner(i, j);
  const starts = j > 0 && owner(i, j - 1) !== head ? " starts" : "";
  const colour = head < 0 ? "" : ` head-${head}`;
  if (!source) return h("span", { class: `cell${colour}${starts}` });
  const [t, f] = source(i, j);
  const mine = t === followed.t && f === followed.f ? " followed" : "";
  const stray = t === i ? "" : " stray";
  return h("span", { class: `cell${colour}${starts}${mine}${stray}`, "data-token": t, "data-feature": f },
    nameOf(t, f));
}
