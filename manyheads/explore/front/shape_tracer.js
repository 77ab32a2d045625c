// Every shape from x to the residual, and the way of one number through all of them.

import { h } from "./dom.js";
import { openFrame } from "./frame.js";
import { group, slider, toggle } from "./controls.js";
import { drawGrids, nameOf } from "./token_grids.js";
import { stages } from "./shape_stages.js";
import { stepper } from "./stepper.js";

const SIZES = [["B", "samples"], ["T", "tokens"], ["D", "width"], ["H", "query heads"],
  ["Hkv", "K/V heads"]];
const INSTEAD = { transpose: "view", back: "merge" }; // where no transpose is done
const FOLLOWED = [["b", "sample", "B"], ["t", "token", "T"], ["f", "feature", "D"]];

/** Mount the explorer; state is { sizes, followed: { b, t, f }, direct: { split, merge }, most }. */
export function mount(host, state, css) {
  const frame = openFrame(host, "Shape tracer", css);
  const now = structuredClone(state);
  now.key = "x"; // the stage shown
  let shown = [];
  const sliders = {};
  for (const [label, hint] of SIZES) {
    sliders[label] = slider({ label, hint, min: 1, max: state.most[label], value: now.sizes[label],
      onInput: (value) => { now.sizes[label] = value; retrace(); } });
  }
  for (const [label, hint, axis] of FOLLOWED) {
    sliders[label] = slider({ label, hint, min: 0, max: now.sizes[axis] - 1,
      value: now.followed[label], onInput: (value) => { now.followed[label] = value; retrace(); } });
  }
  const direct = (key, label) => toggle({ label, value: now.direct[key],
    onChange: (on) => { now.direct[key] = on; retrace(); } });
  const walk = stepper({ label: "Steps", names: ["x"], onStep: (at) => show(shown[at].key) });
  frame.onClose(walk.stop);
  frame.controls.append(
    group("Sizes", ...SIZES.map(([label]) => sliders[label])),
    group("Follow", ...FOLLOWED.map(([label]) => sliders[label])),
    group("View without transpose", direct("split", "in the split"), direct("merge", "in the merge")),
    walk.element);
  frame.picture.addEventListener("click", (event) => choose(event.composedPath()[0]));
  retrace();
  return frame.close;

  function retrace() {
    for (const [label, , axis] of FOLLOWED) {
      now.followed[label] = Math.min(now.followed[label], now.sizes[axis] - 1);
      sliders[label].bounds(0, now.sizes[axis] - 1);
      sliders[label].set(now.followed[label]);
    }
    shown = stages(now.sizes, now.followed, now.direct);
    const broken = shown.at(-1).broken;
    frame.refuse(broken && `${shown.at(-1).name} fails. ${broken}`);
    walk.setNames(shown.map((stage) => stage.name));
    tabulate(frame, shown, now);
    show(now.key);
  }

  function show(key) {
    const find = (wanted) => shown.findIndex((stage) => stage.key === wanted);
    let at = find(key);
    if (at < 0) at = find(INSTEAD[key]);
    if (at < 0) at = shown.length - 1; // not reached: show what broke
    now.key = shown[at].key;
    if (walk.at() !== at) walk.go(at);
    draw(frame, shown, at, now);
  }

  function choose(node) {
    const picked = node.closest?.("[data-stage], [data-token]");
    if (!picked) return;
    if (picked.dataset.stage) {
      show(picked.dataset.stage);
      return;
    }
    now.followed.t = Number(picked.dataset.token);
    now.followed.f = Number(picked.dataset.feature);
    retrace();
  }
}

function draw(frame, shown, at, { followed, sizes }) {
  const stage = shown[at];
  const before = at > 0 ? shown[at - 1] : null;
  const parts = [strip(shown, at)];
  // A projection reads a whole row, so the row is marked where it comes from.
  const row = stage.key === "project" ? followed.t : before?.table?.row ?? null;
  if (before) parts.push(drawGrids(`before: ${shapesOf(before)}`, { ...before.table, row }, followed));
  if (stage.table) parts.push(drawGrids(now(stage), stage.table, followed));
  frame.picture.replaceChildren(...parts);
  const where = stage.place ? ` ${nameOf(followed.t, followed.f)} is at [${stage.place.join(", ")}].` : "";
  frame.describe(`Sample ${followed.b} of ${sizes.B} at the stage ${stage.name}: `
    + `${shapesOf(stage) || "not reached"}.${where}`);
  frame.say(stage.broken ? "" : `${stage.name}: ${shapesOf(stage)}. ${stage.says}`);
}

function now(stage) {
  return stage.broken ? "it would be cut so:" : `${stage.code}: ${shapesOf(stage)}`;
}

/** All stages as boxes with their first tensor's shape; the one shown is marked. */
function strip(shown, at) {
  return h("div", { class: "strip" }, shown.map((stage, i) => {
    const [[name, shape]] = [...Object.entries(stage.shapes), ["", null]];
    return h("span", {
      class: `stage${i === at ? " current" : ""}${stage.broken ? " fails" : ""}`,
      "data-stage": stage.key,
    }, h("span", {}, `${i + 1} ${stage.name}`),
    h("code", {}, shape ? `${name} ${list(shape)}` : "fails"));
  }));
}

function shapesOf({ shapes }) {
  const names = new Map(); // tensors of one shape are named together
  for (const [name, shape] of Object.entries(shapes)) {
    names.set(list(shape), [...(names.get(list(shape)) ?? []), name]);
  }
  return [...names].map(([shape, tensors]) => `${tensors.join(", ")} ${shape}`).join("; ");
}

function list(numbers) {
  return `[${numbers.join(", ")}]`;
}

function tabulate(frame, shown, { sizes, followed }) {
  const named = Object.entries(sizes).map(([name, size]) => `${name} = ${size}`).join(", ");
  const caption = `${named}. Followed: ${nameOf(followed.t, followed.f)}, feature ${followed.f} `
    + `of token ${followed.t} in sample ${followed.b}.`;
  frame.tabulate(caption, ["stage", "code", "shapes", "place of the followed number"],
    shown.map((stage) => [stage.name, stage.code, shapesOf(stage) || stage.broken,
      stage.place ? list(stage.place) : stage.broken ? "" : "spread over its row"]));
}
