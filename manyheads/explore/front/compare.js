// Yours beside the target, cell by cell: one cursor for both, zoomed to the first wrong cell.

import { h } from "./dom.js";
import { button, choice } from "./controls.js";
import { gridOf } from "./compare_grid.js";
import { ZOOMS, clamp, extent, moved, nextWrong, pairs, start, windowAt, wrongPlaces } from "./compare_state.js";
import { listed, optionName, said } from "./compare_words.js";
import { openFrame } from "./frame.js";

const LABELLED = 12; // columns; more are too narrow for their numbers

/** state: { target: [grid], yours: [grid], note }; returns a function that stops. */
export function mount(host, state, css) {
  const frame = openFrame(host, "Yours beside the target", css);
  const all = pairs(state);
  const places = wrongPlaces(state);
  let { cursor, zoom } = start(state);
  let drawn = null; // the part that is on the page, of which pair, and how near
  let shown = {};
  const sides = {
    target: gridOf({ side: "target", onMove: move, onPlace: place, onZoom: nearer }),
    yours: gridOf({ side: "yours", onMove: move, onPlace: place, onZoom: nearer }),
  };
  const part = choice({
    label: "part", value: cursor.pair, options: all.map((pair, i) => [i, optionName(pair)]),
    onChange: (i) => { cursor = { pair: Number(i), row: 0, column: 0 }; draw(); },
  });
  const depth = choice({
    label: "zoom", value: zoom, options: ZOOMS.map(({ name }, i) => [i, name]),
    onChange: (i) => { zoom = Number(i); draw(); },
  });
  const first = () => { zoom = 2; go(places[0]); };
  const jumps = places.length
    ? [button("First wrong cell", first), button("Previous", () => go(nextWrong(places, cursor, -1)), { "aria-label": "Previous wrong cell" }),
      button("Next", () => go(nextWrong(places, cursor, 1)), { "aria-label": "Next wrong cell" })]
    : [];
  frame.controls.append(...(all.length > 1 ? [part.element] : []), depth.element, ...jumps);
  frame.picture.removeAttribute("role"); // two grids with roles of their own
  frame.picture.append(h("div", { class: "both" }, sides.target.element, sides.yours.element),
    h("p", { class: "note" }, state.note));
  draw();
  return frame.close;

  function move(rows, columns) {
    cursor = moved(all[cursor.pair], cursor, rows, columns);
    draw();
  }
  function place(row, column) {
    cursor = { ...cursor, row, column };
    draw();
  }
  function go(to) {
    cursor = to;
    draw();
  }
  function nearer(step) {
    zoom = clamp(zoom + step, 0, ZOOMS.length - 1);
    draw();
  }

  function draw() {
    const pair = all[cursor.pair];
    const other = cursor.pair !== shown.pair;
    const next = windowAt(pair, cursor, zoom, other ? null : drawn);
    const focused = { target: sides.target.hasFocus(), yours: sides.yours.hasFocus() };
    if (other || next !== drawn || zoom !== shown.zoom) redraw(pair, next);
    if (other) tabulate(pair);
    drawn = next;
    shown = { pair: cursor.pair, zoom };
    for (const side of ["target", "yours"]) sides[side].point(cursor, focused[side]);
    part.set(cursor.pair);
    depth.set(zoom);
    frame.say(said(pair, cursor));
  }

  function redraw(pair, next) {
    const size = next.columns > LABELLED ? "tiny" : ZOOMS[zoom].name;
    for (const side of ["target", "yours"]) {
      sides[side].draw(pair[side], next, size);
      sides[side].name(`${side}: ${(pair[side] ?? pair).title}`);
    }
  }

  function tabulate(pair) {
    const { caption, rows } = listed(pair);
    frame.tabulate(caption, ["place", "target", "yours"], rows);
  }
}
