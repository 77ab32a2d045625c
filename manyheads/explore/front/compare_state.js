// The state of a comparison: pairs of grids, a cursor in them, and the window that is drawn.
// A grid is {title, rows: [[label]], fill: [[number]], wrong: [[0 or 1]], top, left}; fill -1 has
// no colour; top and left say where in the whole its first cell stands.

// How many rows and columns are drawn at each zoom; the first shows all of a grid that fits.
export const ZOOMS = [
  { name: "all", rows: 24, columns: 24 },
  { name: "near", rows: 8, columns: 12 },
  { name: "close", rows: 5, columns: 5 },
  { name: "closest", rows: 3, columns: 3 },
];

export function sizeOf(grid) {
  if (!grid) return { rows: 0, columns: 0 };
  return { rows: grid.rows.length, columns: Math.max(0, ...grid.rows.map((row) => row.length)) };
}

// The pairs [{title, target, yours}]: the grids of both sides by their place; either may be absent.
export function pairs({ target, yours }) {
  const count = Math.max(target.length, yours.length);
  return Array.from({ length: count }, (_, i) => ({
    title: (target[i] ?? yours[i]).title,
    target: target[i] ?? null,
    yours: yours[i] ?? null,
  }));
}

// Places of all wrong cells in reading order: [{pair, row, column}]
export function wrongPlaces(state) {
  return state.yours.flatMap((grid, pair) =>
    grid.wrong.flatMap((row, r) => row.flatMap((is, c) => (is ? [{ pair, row: r, column: c }] : []))),
  );
}

// The size that holds both grids of a pair.
export function extent(pair) {
  const [a, b] = [sizeOf(pair.target), sizeOf(pair.yours)];
  return { rows: Math.max(a.rows, b.rows), columns: Math.max(a.columns, b.columns) };
}

export function clamp(number, least, most) {
  return Math.max(least, Math.min(most, number));
}

// The cursor moved by a number of rows and columns, kept inside its pair.
export function moved(pair, cursor, rows, columns) {
  const size = extent(pair);
  return {
    ...cursor,
    row: clamp(cursor.row + rows, 0, size.rows - 1),
    column: clamp(cursor.column + columns, 0, size.columns - 1),
  };
}

// The next wrong place after (step 1) or before (step -1) the cursor, round the end; null if none.
export function nextWrong(places, cursor, step) {
  if (!places.length) return null;
  const order = (a, b) => a.pair - b.pair || a.row - b.row || a.column - b.column;
  if (step > 0) return places.find((place) => order(place, cursor) > 0) ?? places[0];
  return places.findLast((place) => order(place, cursor) < 0) ?? places[places.length - 1];
}

// The part of a pair that is drawn: {top, left, rows, columns}. The part drawn before stays while
// the cursor is inside it; otherwise the cursor comes into the middle.
export function windowAt(pair, cursor, zoom, before = null) {
  const size = extent(pair);
  const rows = Math.min(ZOOMS[zoom].rows, size.rows);
  const columns = Math.min(ZOOMS[zoom].columns, size.columns);
  if (before && before.rows === rows && before.columns === columns && holds(before, cursor)) return before;
  return {
    top: clamp(cursor.row - Math.floor(rows / 2), 0, size.rows - rows),
    left: clamp(cursor.column - Math.floor(columns / 2), 0, size.columns - columns),
    rows,
    columns,
  };
}

function holds({ top, left, rows, columns }, { row, column }) {
  return row >= top && row < top + rows && column >= left && column < left + columns;
}

// One cell of a grid, or null where the grid doesn't reach.
export function cellAt(grid, row, column) {
  const label = grid?.rows[row]?.[column];
  if (label === undefined) return null;
  return { label, fill: grid.fill[row][column], wrong: Boolean(grid.wrong[row][column]) };
}

// Where the drawing begins: at the first wrong cell, whole when that is legible.
export function start(state) {
  const first = wrongPlaces(state)[0] ?? { pair: 0, row: 0, column: 0 };
  const size = extent(pairs(state)[first.pair]);
  const legible = size.rows <= ZOOMS[1].rows && size.columns <= ZOOMS[1].columns;
  return { cursor: first, zoom: legible ? 0 : 1 };
}

// How many cells of a pair are wrong, and how many yours has.
export function countWrong(pair) {
  const marks = (pair.yours?.wrong ?? []).flat();
  return { wrong: marks.filter(Boolean).length, of: marks.length };
}
