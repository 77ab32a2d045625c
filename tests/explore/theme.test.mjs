// Light or dark, as the page says.

import assert from "node:assert/strict";
import test from "node:test";

import { isDark } from "../../manyheads/explore/front/theme.js";

const page = (body = {}, html = {}) => [
  { dataset: body },
  { dataset: html, getAttribute: (name) => html[name] ?? null },
];

const PAGES = [
  ["JupyterLab dark beats a light system", page({ jpThemeLight: "false" }), false, true],
  ["JupyterLab light beats a dark system", page({ jpThemeLight: "true" }), true, false],
  ["VS Code dark", page({ vscodeThemeKind: "vscode-dark" }), false, true],
  ["VS Code's light high contrast", page({ vscodeThemeKind: "vscode-high-contrast-light" }), true, false],
  ["Colab dark", page({}, { theme: "dark" }), false, true],
  ["a plain page follows the system", page(), true, true],
];

for (const [name, [body, html], system, dark] of PAGES) {
  test(name, () => assert.equal(isDark(body, html, system), dark));
}
