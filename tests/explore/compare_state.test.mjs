// The state of a comparison: where the cursor goes, and what is drawn around it.
import assert from "node:assert/strict";
import test from "node:test";

import {
  cellAt,
  extent,
  moved,
  nextWrong,
  pairs,
  start,
  windowAt,
  wrongPlaces,
} from "../../manyheads/explore/front/compare_state.js";

function grid(rows, columns, wrong = []) {
  const marks = new Set(wrong.map(String));
  const fill = (make) => Array.from({ length: rows }, (_, r) => Array.from({ length: columns }, (_, c) => make(r, c)));
  return {
    title: "head 0",
    rows: fill((r, c) => `${r},${c}`),
    fill: fill(() => -1),
    wrong: fill((r, c) => Number(marks.has(`${r},${c}`))),
  };
}

const state = { target: [grid(3, 4), grid(3, 4)], yours: [grid(3, 4, [[1, 2]]), grid(3, 4, [[0, 0], [2, 3]])] };
const places = [
  { pair: 0, row: 1, column: 2 },
  { pair: 1, row: 0, column: 0 },
  { pair: 1, row: 2, column: 3 },
];

test("wrong cells are listed in reading order", () => assert.deepEqual(wrongPlaces(state), places));

test("it starts at the first wrong cell, whole when that is legible", () => {
  assert.deepEqual(start(state), { cursor: places[0], zoom: 0 });
  assert.equal(start({ target: [grid(40, 40)], yours: [grid(40, 40, [[30, 30]])] }).zoom, 1);
});

test("without a wrong cell it starts at the first", () => {
  const right = { target: [grid(2, 2)], yours: [grid(2, 2)] };
  assert.deepEqual(start(right).cursor, { pair: 0, row: 0, column: 0 });
});

test("next and previous go round", () => {
  assert.deepEqual(nextWrong(places, places[0], 1), places[1]);
  assert.deepEqual(nextWrong(places, places[2], 1), places[0]);
  assert.deepEqual(nextWrong(places, places[0], -1), places[2]);
  assert.equal(nextWrong([], places[0], 1), null);
});

test("the cursor stays inside", () => {
  const pair = pairs(state)[0];
  assert.deepEqual(moved(pair, places[0], 9, 9), { pair: 0, row: 2, column: 3 });
  assert.deepEqual(moved(pair, places[0], -9, -9), { pair: 0, row: 0, column: 0 });
});

test("a window holds the cursor and stays inside", () => {
  const pair = { target: grid(40, 40), yours: grid(40, 40) };
  for (const [row, column] of [[0, 0], [20, 20], [39, 39]]) {
    for (const zoom of [0, 1, 2, 3]) {
      const drawn = windowAt(pair, { row, column }, zoom);
      assert.ok(drawn.top >= 0 && drawn.top + drawn.rows <= 40);
      assert.ok(drawn.left >= 0 && drawn.left + drawn.columns <= 40);
      assert.ok(row >= drawn.top && row < drawn.top + drawn.rows);
      assert.ok(column >= drawn.left && column < drawn.left + drawn.columns);
    }
  }
});

test("a window stays while the cursor is inside it", () => {
  const pair = { target: grid(40, 40), yours: grid(40, 40) };
  const before = windowAt(pair, { row: 20, column: 20 }, 1);
  assert.equal(windowAt(pair, { row: before.top, column: before.left }, 1, before), before);
  const next = windowAt(pair, { row: before.top - 1, column: before.left }, 1, before);
  assert.equal(next.top, before.top - 1 - Math.floor(before.rows / 2));
  assert.notDeepEqual(windowAt(pair, { row: 20, column: 20 }, 2, before), before);
});

test("sides of different sizes and numbers are paired by place", () => {
  const uneven = { target: [grid(2, 2)], yours: [grid(5, 1), grid(1, 1)] };
  const [first, second] = pairs(uneven);
  assert.deepEqual(extent(first), { rows: 5, columns: 2 });
  assert.equal(second.target, null);
  assert.equal(cellAt(second.target, 0, 0), null);
  assert.equal(cellAt(first.yours, 0, 1), null);
  assert.deepEqual(cellAt(first.yours, 4, 0), { label: "4,0", fill: -1, wrong: false });
});
