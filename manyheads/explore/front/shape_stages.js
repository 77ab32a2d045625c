// The stages from x to the residual: every shape, and where one feature of one token lies.

import { groupRule, interleaved, splitRule } from "./heads.js";

/**
 * Every stage for `sizes` { B, T, D, H, Hkv }, following feature `f` of token `t` of sample `b`:
 *   key, name, code   what is done, as a line of torch
 *   shapes            { tensor: shape }
 *   place             where the followed feature lies, e.g. [0, 1, 2, 3]; null where it is spread
 *   says              the same in words
 *   table             { grids, row }: what is drawn of sample b, and the row that is marked, or null.
 *                     A grid is { title, head, rows, columns, source(i, j), owner(i, j) }: the source
 *                     is the [token, feature] of the projection that a cell shows, null for none;
 *                     the owner is its head, -1 for none
 *   broken            the rule that broke, on the stage where it breaks; "" elsewhere
 * `direct` { split, merge } leaves the transpose out there. Stages behind a broken rule are missing.
 */
export function stages(sizes, followed, direct = { split: false, merge: false }) {
  const before = beforeSplit(sizes, followed);
  const rule = splitRule(sizes.D, sizes.H);
  if (rule) return [...before, refused("view", "Name the heads", rule, unevenCut(sizes))];
  const moved = inHeads(sizes, followed, direct);
  const shared = groupRule(sizes.H, sizes.Hkv);
  if (shared) return [...before, ...moved.slice(0, 2), refused("repeat", "Repeat K and V", shared, null)];
  return [...before, ...moved];
}

function refused(key, name, broken, table) {
  return { key, name, code: "", shapes: {}, place: null, says: broken, table, broken };
}

/** H equal heads, and the features that none of them gets. */
function unevenCut({ T, D, H }) {
  const Dh = Math.floor(D / H);
  const table = rows(T, D, code, (i, j) => (j < H * Dh ? Math.floor(j / Dh) : -1));
  table.grids[0].title = `${H} heads of ${Dh} leave ${D % H} of ${D} features over`;
  return { ...table, row: null };
}

function beforeSplit({ B, T, D, H, Hkv }, { b, t, f }) {
  const Dh = D / H;
  const kv = Number.isInteger(Dh) ? Hkv * Dh : "Hkv*Dh";
  return [
    stage("x", "x", "x", { x: [B, T, D] }, [b, t, f],
      `x[${b}, ${t}] is token ${t} of sample ${b}: ${D} features. We follow feature ${f}, `
      + `here called 100 * ${t} + ${f} = ${100 * t + f}.`,
      rows(T, D, code)),
    stage("project", "Project", "x @ Wq, x @ Wk, x @ Wv",
      { q: [B, T, D], k: [B, T, kv], v: [B, T, kv] }, [b, t, f],
      `q[${b}, ${t}, ${f}] is made of all ${D} features of token ${t}, and of no other token. `
      + "From here on we follow this number.", rows(T, D, code)),
  ];
}

function inHeads(sizes, { b, t, f }, direct) {
  const { B, T, D, H, Hkv } = sizes;
  const Dh = D / H;
  const split = splitPlace(sizes, t, f, direct.split);
  const merged = mergedPlace(sizes, split, direct.merge);
  const { h, t: row, d } = split;
  const g = Hkv && H % Hkv === 0 ? interleaved(H, Hkv)[h] : 0;
  const inHead = (head) => (i, j) => splitSource(sizes, head, i, j, direct.split);
  const heads = { B, T, H, Dh, cells: inHead };
  const back = (i, j) => mergedSource(sizes, i, j, direct);
  const inOrder = (i, j) => Math.floor(j / Dh);
  const inMemory = (i, j) => Math.floor((i * D + j) / (T * Dh));
  const at = (...place) => `[${place.join(", ")}]`;
  return [
    direct.split ? viewAlone() : stage("view", "Name the heads", "q.view(B, T, H, Dh)",
      { q: [B, T, H, Dh], k: [B, T, Hkv, Dh], v: [B, T, Hkv, Dh] },
      [b, t, Math.floor(f / Dh), f % Dh],
      `Feature ${f} is number ${f % Dh} of head ${Math.floor(f / Dh)}: ${f} // ${Dh} = `
      + `${Math.floor(f / Dh)}, ${f} % ${Dh} = ${f % Dh}. Nothing has moved.`,
      rows(T, D, code, inOrder)),
    direct.split ? null : stage("transpose", "Bring heads forward", "q.transpose(1, 2)",
      { q: [B, H, T, Dh], k: [B, Hkv, T, Dh], v: [B, Hkv, T, Dh] }, [b, h, row, d],
      `q${at(b, t, h, d)} is now q${at(b, h, row, d)}. Token ${t} keeps its row, in every head.`,
      perHead(heads)),
    stage("repeat", "Repeat K and V", "repeat_kv(k, n_rep), repeat_kv(v, n_rep)",
      { q: [B, H, T, Dh], k: [B, H, T, Dh], v: [B, H, T, Dh] }, [b, h, row, d],
      `n_rep = ${H} // ${Hkv} = ${H / Hkv}. q stays. Head ${h} reads K/V head ${g}`
      + (Hkv === H ? ": each head has its own." : ` (${h} // ${H / Hkv}).`),
      perHead(heads, (head) => `, reads K/V ${interleaved(H, Hkv)[head] ?? "?"}`)),
    stage("attend", "Attend", "attention(q, k, v)",
      { weights: [B, H, T, T], context: [B, H, T, Dh] }, [b, h, row, d],
      `Row ${row} of head ${h} scores the ${T} keys of its head and returns a mixture of values `
      + `to its own row: context${at(b, h, row, d)}. Each cell shows the query number it answers.`,
      perHead(heads)),
    direct.merge ? null : stage("back", "Bring tokens forward", "context.transpose(1, 2)",
      { context: [B, T, H, Dh] }, [b, row, h, d],
      `context${at(b, h, row, d)} is now at ${at(b, row, h, d)}: row ${row}, head ${h}.`,
      rows(T, D, back, inOrder)),
    stage("merge", "Join the heads", direct.merge ? "context.view(B, T, H*Dh)" : "context.flatten(2)",
      { merged: [B, T, D] }, [b, merged.t, merged.f],
      joinWords(sizes, split, merged, direct), rows(T, D, back, direct.merge ? inMemory : inOrder)),
    stage("output", "W_O", "merged @ Wo", { out: [B, T, D] }, null,
      `W_O mixes the features of one row. What stood at ${at(b, merged.t, merged.f)} now touches all `
      + `${D} features of row ${merged.t}. ${mixture(sizes, merged.t, direct)}`,
      rows(T, D, null), merged.t),
    stage("residual", "Residual", "x + out", { residual: [B, T, D] }, null,
      `Row ${merged.t} is added to x's token ${merged.t}: shape ${at(B, T, D)} again. `
      + mixture(sizes, merged.t, direct), rows(T, D, null), merged.t),
  ].filter(Boolean);

  function viewAlone() {
    return stage("view", "View without transpose", "q.view(B, H, T, Dh)",
      { q: [B, H, T, Dh], k: [B, Hkv, T, Dh], v: [B, Hkv, T, Dh] }, [b, h, row, d],
      `The view deals numbers out as they lie in memory: number ${t * D + f} of the sample is now `
      + `q${at(b, h, row, d)}. ${headMixture(sizes, h)}`,
      perHead(heads));
  }
}

function stage(key, name, torch, shapes, place, says, table, row = null) {
  const said = says.trim();
  return { key, name, code: torch, shapes, place, says: said, table: { ...table, row }, broken: "" };
}

/** Where feature f of token t lies after the split. */
export function splitPlace({ T, D, H }, t, f, direct) {
  const Dh = D / H;
  if (!direct) return { h: Math.floor(f / Dh), t, d: f % Dh };
  const n = t * D + f; // its number in the sample's memory
  return { h: Math.floor(n / (T * Dh)), t: Math.floor(n / Dh) % T, d: n % Dh };
}

/** Which [t, f] of the projection lies at [h, i, j] after the split. */
export function splitSource({ T, D, H }, h, i, j, direct) {
  const Dh = D / H;
  if (!direct) return [i, h * Dh + j];
  const n = (h * T + i) * Dh + j;
  return [Math.floor(n / D), n % D];
}

/** Where [h, t, d] of the context lies after the merge. */
export function mergedPlace({ T, D, H }, { h, t, d }, direct) {
  const Dh = D / H;
  if (!direct) return { t, f: h * Dh + d };
  const n = (h * T + t) * Dh + d;
  return { t: Math.floor(n / D), f: n % D };
}

/** Which [t, f] of the projection asked for what lies at [i, j] after the merge. */
export function mergedSource(sizes, i, j, direct) {
  const { T, D, H } = sizes;
  const Dh = D / H;
  if (!direct.merge) return splitSource(sizes, Math.floor(j / Dh), i, j % Dh, direct.split);
  const n = i * D + j;
  return splitSource(sizes, Math.floor(n / (T * Dh)), Math.floor(n / Dh) % T, n % Dh, direct.split);
}

/** The tokens whose numbers lie in row i after the merge, ascending. */
export function tokensInRow(sizes, i, direct) {
  return distinct(sizes.D, (j) => mergedSource(sizes, i, j, direct)[0]);
}

/** The tokens whose numbers lie in head h after a view without transpose. */
export function tokensInHead(sizes, h) {
  const Dh = sizes.D / sizes.H;
  return distinct(sizes.T * Dh, (n) => splitSource(sizes, h, Math.floor(n / Dh), n % Dh, true)[0]);
}

function distinct(count, of) {
  return [...new Set(Array.from({ length: count }, (_, n) => of(n)))].sort((a, b) => a - b);
}

function headMixture(sizes, h) {
  const tokens = tokensInHead(sizes, h);
  if (sizes.H === 1) return "With one head nothing shows.";
  if (sizes.T === 1) return "With one token nothing shows.";
  return `Head ${h} holds numbers of ${tokens.length === 1 ? "token" : "tokens"} `
    + `${tokens.join(", ")} and of no other; it should hold all ${sizes.T}.`;
}

function mixture(sizes, row, direct) {
  const tokens = tokensInRow(sizes, row, direct);
  if (tokens.length === 1 && tokens[0] === row) {
    if (!direct.split) return "";
    return "The second view undid the first, so the row looks right. "
      + "But attention worked on mixed rows in between.";
  }
  return `The row mixes tokens: it holds answers to ${tokens.join(", ")}.`;
}

function joinWords(sizes, { h, t, d }, merged, direct) {
  const { D, H } = sizes;
  const Dh = D / H;
  const sum = direct.merge
    ? "As the numbers lie in memory, "
    : `${h} * ${Dh} + ${d} = ${merged.f}: `;
  return `${sum}head ${h}, row ${t}, number ${d} lands in row ${merged.t}, feature ${merged.f}. `
    + mixture(sizes, merged.t, direct);
}

/** What a cell shows: [token, feature] of the projection. */
function code(i, j) {
  return [i, j];
}

/** One grid [T, D]; owner(i, j) is a cell's head, -1 for none. */
function rows(T, D, source, owner = () => -1) {
  return { grids: [{ title: "", head: -1, rows: T, columns: D, source, owner }] };
}

/** One grid [T, Dh] a head. */
function perHead({ T, H, Dh, cells }, note = () => "") {
  const grids = Array.from({ length: H }, (_, h) => ({
    title: `head ${h}${note(h)}`, head: h, rows: T, columns: Dh, source: cells(h), owner: () => h,
  }));
  return { grids };
}
