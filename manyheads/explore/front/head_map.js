import { openFrame } from "./frame.js";

/** Mount the explorer on the element `host`. */
export function mount(host, state, css) {
  const frame = openFrame(host, "Who reads whom", css);
  frame.say(JSON.stringify(state));
  return frame.close;
}
