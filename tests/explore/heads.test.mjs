// The head map's owners and bytes against torch's.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import {
  divisors, groupRule, interleaved, kindOf, kvBytes, splitRule, tiled,
} from "../../manyheads/explore/front/heads.js";

const { maps, bytes } = JSON.parse(readFileSync(process.env.MANYHEADS_FIXTURE, "utf-8"));

for (const { H, Hkv, interleave, tile } of maps) {
  test(`H=${H}, Hkv=${Hkv}: both orders are torch's`, () => {
    assert.deepEqual(interleaved(H, Hkv), interleave);
    assert.deepEqual(tiled(H, Hkv), tile);
  });
}

for (const { Hkv, Dh, size, stored } of bytes) {
  test(`Hkv=${Hkv}, Dh=${Dh}, ${size} bytes a number: as many as torch stores`, () => {
    assert.equal(kvBytes(Hkv, Dh, size), stored);
  });
}

test("a rule that holds says nothing", () => {
  assert.equal(splitRule(12, 3) + groupRule(6, 3), "");
});

test("a broken rule names itself, the remainder and the choices", () => {
  assert.match(groupRule(5, 2), /^Hkv must divide H.* 5 % 2 = 1\..*choose Hkv from 1, 5\.$/);
  assert.match(splitRule(10, 3), /^H must divide D.* 10 % 3 = 1\..*choose H from 1, 2, 5, 10\.$/);
});

test("divisors come in order", () => assert.deepEqual(divisors(12), [1, 2, 3, 4, 6, 12]));

test("sharing has three names", () => {
  assert.deepEqual([6, 3, 1].map((Hkv) => kindOf(6, Hkv)), ["MHA", "GQA", "MQA"]);
});
