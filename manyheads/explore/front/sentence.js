// Heads on a sentence: choose a token, see what each head gives it and what W_O makes of that.

import { h } from "./dom.js";
import { button, toggle } from "./controls.js";
import { openFrame, scroller } from "./frame.js";
import { radios } from "./radios.js";
import { headRow } from "./sentence_heads.js";
import { receive } from "./sentence_math.js";
import { mixTable } from "./sentence_mix.js";
import { stepper } from "./stepper.js";
import { headName, number, said } from "./sentence_words.js";

/** state: { words [T], z [H][T][Dh], Wo [H*Dh][D], query, causal }; returns a function that stops. */
export function mount(host, given, css) {
  const state = structuredClone(given);
  const { words, z } = state;
  const frame = openFrame(host, `${z.length} heads on ${words.length} tokens`, css);
  const rows = z.map((_, head) => headRow(head, words));
  const chosen = radios({
    label: "Query token", words, value: state.query,
    onChoose: (place) => { steps.go(place); ask(place); },
  });
  const steps = stepper({
    label: "Walk along the sentence", names: words,
    onStep: (place) => { chosen.set(place); ask(place); },
  });
  steps.go(state.query);
  const mix = mixTable({
    Dh: z[0][0].length, Wo: state.Wo,
    onEdit: (Wo) => { state.Wo = Wo; draw(); },
    onBad: frame.refuse,
  });
  const mask = toggle({
    label: "causal mask", value: state.causal,
    onChange: (on) => { state.causal = on; draw(); },
  });
  const square = given.Wo.length === given.Wo[0].length;
  const turn = () => mix.set(mix.get().map((row, i, all) => row.map((_, j) => all[j][i])));
  frame.controls.append(
    steps.element,
    mask.element,
    button("Reset W_O", () => mix.set(given.Wo)),
    square ? button("Transpose W_O", turn) : "",
  );
  const hint = h("div", { class: "name" }, "query");
  const sentence = h("div", { class: "sentence" }, hint, chosen.element, rows.flatMap((row) => row.elements));
  sentence.style.setProperty("--tokens", words.length);
  frame.picture.removeAttribute("role"); // it holds controls; its drawings have roles of their own
  frame.picture.append(scroller(sentence, "The sentence and its heads"), scroller(mix.element, "Joined heads and W_O"));
  frame.onClose(steps.stop);
  draw();
  return frame.close;

  function ask(place) {
    state.query = place;
    draw();
  }

  function draw() {
    const result = receive(state, state.query);
    const largest = Math.max(...result.heads.flatMap((head) => head.weights));
    rows.forEach((row, head) => row.update(state.query, result.heads[head].weights, largest));
    mix.update(result);
    frame.say(said(words, state.query, result));
    tabulate(result);
  }

  function tabulate({ heads }) {
    const names = heads.flatMap((_, head) => [`${headName(head)}, score`, `${headName(head)}, weight`]);
    const cells = ({ scores, weights }, j) =>
      scores[j] === -Infinity ? ["masked", number(0)] : [number(scores[j]), number(weights[j])];
    const lines = words.map((word, j) => [`${j} ${word}`, ...heads.flatMap((head) => cells(head, j))]);
    frame.tabulate(`What ${words[state.query]}, token ${state.query}, gives to each token`, ["key", ...names], lines);
  }
}
