// Places and shapes of the shape tracer against torch's own views and transposes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import {
  mergedPlace, mergedSource, splitPlace, splitSource, stages, tokensInRow,
} from "../../manyheads/explore/front/shape_stages.js";

const cases = JSON.parse(readFileSync(process.env.MANYHEADS_FIXTURE, "utf-8"));
const range = (n) => Array.from({ length: n }, (_, i) => i);
const trace = (sizes, followed, direct) =>
  Object.fromEntries(stages(sizes, followed, direct).map((stage) => [stage.key, stage]));

for (const { sizes, direct, split, merged, shapes } of cases) {
  const { T, D, H } = sizes;
  const Dh = D / H;
  const name = JSON.stringify({ ...sizes, ...direct });

  test(`every cell after the split shows what torch has there: ${name}`, () => {
    for (const h of range(H)) for (const i of range(T)) for (const j of range(Dh)) {
      assert.equal(coded(splitSource(sizes, h, i, j, direct.split)), split[h][i][j]);
    }
  });

  test(`every cell after the merge shows what torch has there: ${name}`, () => {
    for (const i of range(T)) for (const j of range(D)) {
      assert.equal(coded(mergedSource(sizes, i, j, direct)), merged[i][j]);
    }
  });

  test(`a followed number is where its cell is: ${name}`, () => {
    for (const t of range(T)) for (const f of range(D)) {
      const place = splitPlace(sizes, t, f, direct.split);
      assert.deepEqual(splitSource(sizes, place.h, place.t, place.d, direct.split), [t, f]);
      const end = mergedPlace(sizes, place, direct.merge);
      assert.deepEqual(mergedSource(sizes, end.t, end.f, direct), [t, f]);
    }
  });

  test(`every stage has torch's shapes: ${name}`, () => {
    const traced = trace(sizes, { b: 0, t: T - 1, f: D - 1 }, direct);
    for (const [key, tensors] of Object.entries(shapes)) {
      assert.deepEqual(traced[key].shapes, tensors, key);
    }
  });

  test(`every place lies inside its stage's first tensor of places: ${name}`, () => {
    for (const stage of stages(sizes, { b: 0, t: 0, f: D - 1 }, direct)) {
      const shape = stage.shapes.context ?? Object.values(stage.shapes)[0];
      if (stage.place) stage.place.forEach((index, axis) => assert.ok(index < shape[axis], stage.key));
    }
  });
}

function coded([t, f]) {
  return 100 * t + f;
}

const LESSON = { B: 2, T: 5, D: 12, H: 3, Hkv: 3 };
const AT = { b: 1, t: 3, f: 6 };

test("D that H doesn't divide stops at the view and says which rule broke", () => {
  const all = stages({ ...LESSON, D: 10 }, AT);
  assert.deepEqual(all.map((stage) => stage.key), ["x", "project", "view"]);
  assert.match(all[2].broken, /H must divide D.*10 % 3 = 1.*choose H from 1, 2, 5, 10/);
});

test("H that Hkv doesn't divide stops at the repetition and says which rule broke", () => {
  const all = stages({ ...LESSON, D: 10, H: 5, Hkv: 2 }, AT);
  assert.deepEqual(all.map((stage) => stage.key), ["x", "project", "view", "transpose", "repeat"]);
  assert.match(all[4].broken, /Hkv must divide H.*5 % 2 = 1.*choose Hkv from 1, 5/);
});

test("more K/V heads than query heads break the second rule", () => {
  assert.match(stages({ ...LESSON, Hkv: 6 }, AT).at(-1).broken, /3 % 6 = 3/);
});

test("with both transposes every row keeps its own token", () => {
  const direct = { split: false, merge: false };
  for (const t of range(5)) assert.deepEqual(tokensInRow(LESSON, t, direct), [t]);
});

test("a view in the split alone mixes tokens, and the sentence says which", () => {
  const direct = { split: true, merge: false };
  assert.deepEqual(tokensInRow(LESSON, 2, direct), [0, 2, 4]);
  const { says } = trace(LESSON, { b: 0, t: 2, f: 4 }, direct).residual; // lands in row 2
  assert.match(says, /mixes tokens: it holds answers to 0, 2, 4/);
});

test("two views undo each other, and the sentence says so", () => {
  const traced = trace(LESSON, AT, { split: true, merge: true });
  assert.match(traced.merge.says, /second view undid the first/);
});

for (const hidden of [{ T: 1 }, { H: 1, Hkv: 1 }]) {
  test(`a view without transpose hides at ${JSON.stringify(hidden)}`, () => {
    const sizes = { ...LESSON, ...hidden };
    const at = { ...AT, t: 0 };
    const [right, viewed] = [false, true].map((split) => trace(sizes, at, { split, merge: false }));
    assert.deepEqual(right.transpose.place, viewed.view.place);
    assert.match(viewed.view.says, /nothing shows/);
  });
}
