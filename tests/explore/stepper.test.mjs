// Walking through stages.

import assert from "node:assert/strict";
import test from "node:test";

import { commandOf, resize, walk } from "../../manyheads/explore/front/stepper.js";

const at = (place, playing = false, count = 4) => ({ at: place, count, playing });

const WALKS = [
  ["next goes on", at(1), "next", at(2)],
  ["next stays at the end", at(3), "next", at(3)],
  ["back stays at the start", at(0), "back", at(0)],
  ["first", at(2), "first", at(0)],
  ["last", at(0), "last", at(3)],
  ["a step by hand ends playing", at(1, true), "next", at(2)],
  ["play starts", at(1), "play", at(1, true)],
  ["play pauses", at(1, true), "play", at(1)],
  ["play from the end starts over", at(3), "play", at(0, true)],
  ["one stage can't be played", at(0, false, 1), "play", at(0, false, 1)],
  ["a tick goes on", at(1, true), "tick", at(2, true)],
  ["the last tick ends playing", at(2, true), "tick", at(3)],
];

for (const [name, before, command, after] of WALKS) {
  test(name, () => assert.deepEqual(walk(before, command), after));
}

test("an unknown command is refused", () => assert.throws(() => walk(at(0), "jump"), /unknown/));

test("fewer stages bring the walk back inside", () => {
  assert.deepEqual(resize(at(3, true), 2), at(1, false, 2));
});

test("keys have commands", () => {
  const keys = ["ArrowRight", "ArrowLeft", "Home", "End", "x"];
  assert.deepEqual(keys.map(commandOf), ["next", "back", "first", "last", undefined]);
});
