// Query heads above, the K/V heads they read below, in both orders, and what K and V weigh.

import { h, svg } from "./dom.js";
import { openFrame } from "./frame.js";
import { choice, group, slider } from "./controls.js";
import { divisors, groupRule, interleaved, kindOf, kvBytes, tiled } from "./heads.js";

const BYTES = [[4, "4 (float32)"], [2, "2 (float16, bfloat16)"], [1, "1 (int8, fp8)"]];

/** Mount the explorer on `host`; state is { H, Hkv, Dh, bytes, head } and most: { H, Hkv, Dh }. */
export function mount(host, state, css) {
  const frame = openFrame(host, "Who reads whom", css);
  const now = { ...state };
  const change = (name) => (value) => {
    now[name] = Number(value);
    draw(frame, now, sliders);
  };
  const size = (label, hint, name) =>
    slider({ label, hint, min: 1, max: state.most[name], value: now[name], onInput: change(name) });
  const sliders = {
    H: size("H", "query heads", "H"),
    Hkv: size("Hkv", "K/V heads", "Hkv"),
    Dh: size("Dh", "head width", "Dh"),
    head: slider({ label: "h", hint: "one query head", min: 0, max: now.H - 1, value: now.head,
      onInput: change("head") }),
  };
  const bytes = choice({ label: "bytes a number", options: BYTES, value: now.bytes,
    onChange: change("bytes") });
  frame.controls.append(
    group("Heads", sliders.H, sliders.Hkv),
    group("Follow", sliders.head),
    group("Size", sliders.Dh, bytes),
  );
  frame.section.addEventListener("click", (event) => {
    const box = event.composedPath().find((node) => node.dataset?.query !== undefined);
    if (!box) return;
    sliders.head.set(box.dataset.query);
    change("head")(box.dataset.query);
  });
  draw(frame, now, sliders);
  return frame.close;
}

function draw(frame, now, sliders) {
  now.head = Math.min(now.head, now.H - 1);
  sliders.head.set(now.head);
  sliders.head.bounds(0, now.H - 1);
  const broken = groupRule(now.H, now.Hkv);
  frame.refuse(broken);
  const bars = byteBars(now);
  if (broken) {
    frame.picture.replaceChildren(unshared(now), bars);
    frame.describe(`No map: ${broken}`);
    frame.say("");
    frame.tabulate("No query head has a K/V head to read.", ["query head"], []);
    return;
  }
  const orders = { interleaved: interleaved(now.H, now.Hkv), tiled: tiled(now.H, now.Hkv) };
  frame.picture.replaceChildren(
    h("div", { class: "orders" },
      half("interleaved: h // n_rep", orders.interleaved, now),
      half("tiled: h % Hkv", orders.tiled, now)),
    bars);
  frame.describe(`Query heads 0 to ${now.H - 1} read K/V heads `
    + `${orders.interleaved.join(", ")} interleaved, ${orders.tiled.join(", ")} tiled.`);
  frame.say(sentence(now, orders));
  tabulate(frame, now, orders);
}

/** What the chosen query head reads, and what that costs. */
function sentence({ H, Hkv, Dh, bytes, head }, orders) {
  const nRep = H / Hkv;
  const [g, other] = [orders.interleaved[head], orders.tiled[head]];
  const same = orders.interleaved.every((kv, q) => kv === orders.tiled[q])
    ? `With Hkv = ${Hkv === 1 ? "1" : "H"} both orders agree.`
    : `Tiled, it would read ${g === other ? `${other} too` : other} (${head} % ${Hkv} = ${other}).`;
  return `${kindOf(H, Hkv)}, n_rep = ${H} // ${Hkv} = ${nRep}. Query head ${head} reads K/V head ${g} `
    + `(${head} // ${nRep} = ${g}). ${same} K and V take 2 * ${Hkv} * ${Dh} * ${bytes} = `
    + `${number(kvBytes(Hkv, Dh, bytes))} bytes a token and layer.`;
}

function half(title, reads, { H, Hkv, head }) {
  const middle = (g) => ((g + 0.5) * H) / Hkv; // of the share that K/V head g would take
  const followed = reads[head];
  const line = (g, q) => svg("line", {
    x1: q + 0.5, y1: 0, x2: middle(g), y2: 1,
    class: q === head ? "reads followed" : g === followed ? "reads shared" : "reads",
  });
  const box = (label, g, left, kind, query) => h("span", {
    class: `box head-${g % 8} ${kind}`, style: `left:${(100 * left) / H}%;width:${86 / H}%`,
    "data-query": query,
  }, h("span", {}, label));
  return h("div", { class: "half" },
    h("p", { class: "name" }, title),
    h("div", { class: "row" }, reads.map((g, q) =>
      box(`q${q}`, g, q + 0.5, q === head ? "query followed" : "query", String(q)))),
    svg("svg", { viewBox: `0 0 ${H} 1`, preserveAspectRatio: "none", class: "lines" }, reads.map(line)),
    h("div", { class: "row" }, Array.from({ length: Hkv }, (_, g) =>
      box(`kv${g}`, g, middle(g), g === followed ? "followed" : ""))));
}

/** The two rows of boxes when no even sharing exists. */
function unshared({ H, Hkv }) {
  const boxes = (name, n) => Array.from({ length: n }, (_, i) =>
    h("span", { class: "box plain", style: `left:${(100 * (i + 0.5)) / n}%;width:${86 / n}%` },
      h("span", {}, `${name}${i}`)));
  return h("div", { class: "orders" }, h("div", { class: "half" },
    h("p", { class: "name" }, `${H} query heads, ${Hkv} K/V heads: no even sharing`),
    h("div", { class: "row" }, boxes("q", H)),
    h("div", { class: "lines" }),
    h("div", { class: "row" }, boxes("kv", Hkv))));
}

/** A bar for every Hkv that fits H; the chosen one is marked. */
function byteBars({ H, Hkv, Dh, bytes }) {
  const most = kvBytes(H, Dh, bytes);
  return h("div", { class: "bars" },
    h("p", { class: "name" }, "bytes of K and V, a token and layer"),
    divisors(H).map((n) => {
      const size = kvBytes(n, Dh, bytes);
      return h("div", { class: n === Hkv ? "bar chosen" : "bar" },
        h("span", { class: "what" }, `Hkv = ${n} (${kindOf(H, n)})`),
        h("span", { class: "track" }, h("span", { class: "fill", style: `width:${(100 * size) / most}%` })),
        h("span", { class: "size" }, number(size)));
    }));
}

function tabulate(frame, { H, Hkv, Dh, bytes }, orders) {
  const caption = `H = ${H}, Hkv = ${Hkv}: ${number(kvBytes(Hkv, Dh, bytes))} bytes of K and V `
    + `a token and layer; with Hkv = H, ${number(kvBytes(H, Dh, bytes))}.`;
  frame.tabulate(caption, ["query head", "reads K/V head, interleaved", "tiled"],
    orders.interleaved.map((g, q) => [q, g, orders.tiled[q]]));
}

function number(n) {
  return n.toLocaleString("en-US");
}
