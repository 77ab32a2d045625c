// Walking through stages one by one: by hand, by key, or played.

import { h } from "./dom.js";
import { button, choice } from "./controls.js";

/** Seconds a stage stays when played. */
export const SPEEDS = [[4, "slow"], [2, "steady"], [1, "fast"]];

const KEYS = { ArrowRight: "next", ArrowLeft: "back", Home: "first", End: "last" };

/** What a key asks for, or undefined. */
export function commandOf(key) {
  return KEYS[key];
}

/** The walk's next state. A walk is { at, count, playing }; commands are the buttons' names. */
export function walk(state, command) {
  const last = state.count - 1;
  const to = (at, playing = false) => ({ ...state, at: Math.min(Math.max(at, 0), last), playing });
  switch (command) {
    case "first": return to(0);
    case "back": return to(state.at - 1);
    case "next": return to(state.at + 1);
    case "last": return to(last);
    case "tick": return to(state.at + 1, state.playing && state.at + 1 < last);
    case "play":
      if (state.playing) return { ...state, playing: false };
      return to(state.at === last ? 0 : state.at, last > 0); // from the end, play it again
    default: throw new Error(`walk: unknown command ${command}`);
  }
}

/** The same walk when the number of stages has changed. */
export function resize(state, count) {
  return { ...state, count, at: Math.min(state.at, count - 1), playing: false };
}

/**
 * A toolbar with first, back, play or pause, next, last and speed. Stages are named by `names`;
 * onStep(at) is called whenever another one is shown. Arrow keys, Home and End work while the focus is
 * on one of its buttons. Returns { element, at(), go(at), setNames(names), stop() }.
 */
export function stepper({ label, names, onStep }) {
  let state = { at: 0, count: names.length, playing: false };
  let timer;
  const place = h("span", { class: "place" });
  const make = (command, text, title) =>
    button(text, () => act(command), { "aria-label": title, title });
  const buttons = {
    first: make("first", "|<", "First step"),
    back: make("back", "<", "Step back"),
    play: make("play", "Play", "Play"),
    next: make("next", ">", "Next step"),
    last: make("last", ">|", "Last step"),
  };
  const speed = choice({ label: "speed", options: SPEEDS, value: 2, onChange: () => schedule() });
  const element = h("div", { class: "stepper", role: "group", "aria-label": label },
    Object.values(buttons), speed.element, place);
  element.addEventListener("keydown", (event) => {
    const command = commandOf(event.key);
    const native = event.target === speed.input; // a list has arrow keys of its own
    if (!command || native || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    act(command);
  });

  function act(command) {
    const before = state.at;
    state = walk(state, command);
    show();
    schedule();
    if (state.at !== before) onStep(state.at);
  }
  function schedule() {
    clearTimeout(timer);
    if (state.playing) timer = setTimeout(() => act("tick"), 1000 * Number(speed.get()));
  }
  function show() {
    const playing = state.playing ? "Pause" : "Play";
    buttons.play.textContent = playing;
    buttons.play.setAttribute("aria-label", playing);
    buttons.play.title = playing;
    // aria-disabled, not disabled: a disabled button would drop the keyboard's focus
    for (const name of ["first", "back"]) ended(buttons[name], state.at === 0);
    for (const name of ["next", "last"]) ended(buttons[name], state.at === state.count - 1);
    place.textContent = `step ${state.at + 1} of ${state.count}: ${names[state.at]}`;
  }
  function ended(one, is) {
    one.setAttribute("aria-disabled", String(is));
  }
  function go(at) {
    state = { ...state, at: Math.min(Math.max(at, 0), state.count - 1), playing: false };
    schedule();
    show();
  }
  function setNames(given) {
    names = given;
    state = resize(state, names.length);
    schedule();
    show();
  }
  show();
  return { element, at: () => state.at, go, setNames, stop: () => clearTimeout(timer) };
}
