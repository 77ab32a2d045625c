// The sentence's arithmetic against numbers computed with torch (tests/explore/test_sentence.py).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { receive, softmax, top } from "../../manyheads/explore/front/sentence_math.js";

const cases = JSON.parse(readFileSync(process.env.MANYHEADS_FIXTURE, "utf-8"));

function close(got, want, what) {
  assert.equal(got.length, want.length, `${what}: length`);
  got.forEach((number, i) =>
    assert.ok(Math.abs(number - want[i]) < 1e-9, `${what}[${i}]: ${number}, not ${want[i]}`),
  );
}

for (const { name, state, queries } of cases) {
  queries.forEach((want, query) => {
    test(`${name}, query ${query}`, () => {
      const got = receive(state, query);
      got.heads.forEach((head, h) => close(head.weights, want.weights[h], `weights of head ${h}`));
      close(got.joined, want.joined, "joined");
      got.added.forEach((row, i) => close(row, want.added[i], `what feature ${i} adds`));
      close(got.mix, want.mix, "mix");
    });
  });
}

test("softmax stands large scores", () => close(softmax([1000, 1000, -Infinity]), [0.5, 0.5, 0], "softmax"));

test("the first of equal numbers is the top", () => assert.equal(top([1, 3, 3]), 1));
