// One side of a comparison: a table of cells with one cursor, moved by arrow keys or by pointing.

import { h } from "./dom.js";
import { cellAt } from "./compare_state.js";

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Rows and columns a key moves the cursor by; null for other keys. */
export function moveOf(key) {
  return MOVES[key] ?? null;
}

/** A grid. onMove(rows, columns), onPlace(row, column), onZoom(step) tell what a person did. */
export function gridOf({ side, onMove, onPlace, onZoom }) {
  const title = h("p", { class: "heading", "aria-hidden": "true" }, side);
  const table = h("table", { role: "grid", "aria-label": side });
  const element = h("div", { class: "side" }, title, table);
  let cells = new Map();
  let here = null;

  table.addEventListener("click", (event) => {
    const place = event.target.closest("[data-place]")?.dataset.place;
    if (place) onPlace(...place.split(",").map(Number));
  });
  table.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const move = moveOf(event.key);
    const zoom = { "+": 1, "-": -1 }[event.key];
    if (!move && !zoom) return;
    event.preventDefault();
    if (move) onMove(...move);
    else onZoom(zoom);
  });

  /** Draw the window of a grid; names say the rows' and columns' numbers. */
  function draw(grid, drawn, size) {
    cells = new Map();
    table.dataset.size = size;
    const { top = 0, left = 0 } = grid ?? {};
    const columns = Array.from({ length: drawn.columns }, (_, j) => drawn.left + j);
    const rows = Array.from({ length: drawn.rows }, (_, i) => drawn.top + i);
    const head = h("tr", {}, h("td", { role: "presentation" }), columns.map((c) => h("th", { scope: "col" }, String(left + c))));
    table.replaceChildren(
      h("thead", {}, head),
      h("tbody", {}, rows.map((r) => h("tr", {}, h("th", { scope: "row" }, String(top + r)),
        columns.map((c) => cellElement(grid, r, c))))),
    );
  }

  function cellElement(grid, row, column) {
    const cell = cellAt(grid, row, column);
    const kind = cell ? `${cell.fill < 0 ? "blank" : `fill-${cell.fill % 8}`}${cell.wrong ? " wrong" : ""}` : "absent";
    const words = cell ? `${cell.label}${cell.wrong ? ", wrong" : ""}` : "no cell";
    const place = `${row},${column}`;
    const element = h("td", { class: kind, role: "gridcell", tabindex: "-1", "aria-label": words, "data-place": place },
      cell?.label ?? "");
    cells.set(place, element);
    return element;
  }

  /** Put the cursor on a cell; the keyboard's focus follows if it was in this grid. */
  function point({ row, column }, hadFocus) {
    if (here) {
      here.tabIndex = -1;
      here.classList.remove("here");
      here.removeAttribute("aria-selected");
    }
    here = cells.get(`${row},${column}`);
    here.tabIndex = 0;
    here.classList.add("here");
    here.setAttribute("aria-selected", "true");
    if (hadFocus) here.focus({ preventScroll: false });
  }

  const hasFocus = () => table.contains(table.getRootNode().activeElement);
  return { element, draw, point, hasFocus, name: (text) => { title.textContent = text; table.setAttribute("aria-label", text); } };
}
