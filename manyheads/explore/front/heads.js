// Which heads fit together, and who reads whom.

/** The whole numbers that divide n, ascending. */
export function divisors(n) {
  return Array.from({ length: n }, (_, i) => i + 1).filter((m) => n % m === 0);
}

/** Why D features can't be cut into H heads, or "". */
export function splitRule(D, H) {
  if (D % H === 0) return "";
  return `H must divide D, the width being split: ${D} % ${H} = ${D % H}. `
    + `For D = ${D}, choose H from ${divisors(D).join(", ")}.`;
}

/** Why H query heads can't share Hkv key/value heads, or "". */
export function groupRule(H, Hkv) {
  if (H % Hkv === 0) return "";
  return `Hkv must divide H, so that all K/V heads have as many readers: ${H} % ${Hkv} = ${H % Hkv}. `
    + `For H = ${H}, choose Hkv from ${divisors(H).join(", ")}.`;
}

/** The K/V head that each query head reads: neighbours share. */
export function interleaved(H, Hkv) {
  const nRep = H / Hkv;
  return Array.from({ length: H }, (_, h) => Math.floor(h / nRep));
}

/** The same number of readers each, in the other order: every Hkv-th query head shares. */
export function tiled(H, Hkv) {
  return Array.from({ length: H }, (_, h) => h % Hkv);
}

/** Bytes of K and V that one layer stores for one token. */
export function kvBytes(Hkv, Dh, bytes) {
  return 2 * Hkv * Dh * bytes;
}

/** What such sharing is called. */
export function kindOf(H, Hkv) {
  if (Hkv === H) return "MHA";
  return Hkv === 1 ? "MQA" : "GQA";
}
