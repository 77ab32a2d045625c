// What the sentence explorer says: names, numbers, and the sentence that is read aloud.

import { top } from "./sentence_math.js";

export const DIGITS = 3;

export function number(value) {
  const text = value.toFixed(DIGITS);
  return Number(text) === 0 ? (0).toFixed(DIGITS) : text; // no -0.000
}

export function vector(values) {
  return values.length === 1 ? number(values[0]) : `(${values.map(number).join(", ")})`;
}

// Heads on a sentence are called A, B, ... as in the lesson's text.
export function headName(h) {
  return `head ${"ABCDEFGH"[h]}`;
}

// The name of one joined feature: the head it comes from, and its place there if it has company.
export function featureName(i, Dh) {
  const name = headName(Math.floor(i / Dh));
  return Dh === 1 ? name : `${name}, feature ${i % Dh}`;
}

export function said(words, query, { heads, joined, mix }) {
  const one = ({ weights, output }, h) => {
    const j = top(weights);
    return `${headName(h)} gives most to ${words[j]} (${number(weights[j])}) and outputs ${vector(output)}`;
  };
  return `Query ${words[query]}, token ${query}: ${heads.map(one).join("; ")}. `
    + `Joined ${vector(joined)}. W_O mixes to ${vector(mix)}.`;
}
