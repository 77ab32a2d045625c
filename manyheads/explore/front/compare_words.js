// What the comparison says: the cell at the cursor, and how many are wrong.

import { cellAt, countWrong } from "./compare_state.js";

export function optionName(pair) {
  const { wrong } = countWrong(pair);
  return wrong ? `${pair.title} (${wrong} wrong)` : pair.title;
}

/** Where a cell stands in the whole: "row 1, column 0". */
export function placeName(pair, { row, column }) {
  const { top = 0, left = 0 } = pair.yours ?? pair.target;
  return `row ${top + row}, column ${left + column}`;
}

export function said(pair, cursor) {
  const target = cellAt(pair.target, cursor.row, cursor.column);
  const yours = cellAt(pair.yours, cursor.row, cursor.column);
  const holds = (cell) => (cell ? `holds ${cell.label}` : "has no cell here");
  const verdict = yours?.wrong ? " That is wrong." : "";
  return `${pair.title}, ${placeName(pair, cursor)}: the target ${holds(target)}, yours ${holds(yours)}.${verdict}`;
}

/** Rows for the text table: every cell of a pair that is wrong, or all of them if none is. */
export function listed(pair, most = 60) {
  const rows = [];
  const { wrong } = countWrong(pair);
  const cells = (pair.yours ?? pair.target).rows;
  cells.forEach((row, r) => row.forEach((_, c) => {
    const [target, yours] = [cellAt(pair.target, r, c), cellAt(pair.yours, r, c)];
    if (wrong && !yours?.wrong) return;
    rows.push([placeName(pair, { row: r, column: c }), target?.label ?? "none", yours?.label ?? "none"]);
  }));
  const cut = rows.length > most ? `, the first ${most} of them` : "";
  const caption = wrong ? `Wrong cells of ${pair.title}${cut}` : `All cells of ${pair.title}${cut}`;
  return { caption, rows: rows.slice(0, most) };
}
