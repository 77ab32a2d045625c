// Light or dark, as the page around the explorer is.

/** Whether the page is dark: JupyterLab, VS Code and Colab say so; else the reader's system. */
export function isDark(body, html, systemIsDark) {
  if (body.dataset.jpThemeLight) return body.dataset.jpThemeLight === "false";
  const kind = body.dataset.vscodeThemeKind;
  if (kind) return kind.includes("dark") || kind === "vscode-high-contrast";
  const theme = html.getAttribute("theme") ?? html.dataset.theme;
  if (theme) return theme === "dark";
  return systemIsDark;
}

/** Keep the host's data-theme equal to the page's theme; returns a function that stops. */
export function followTheme(host) {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const { body, documentElement } = document;
  const apply = () => {
    host.dataset.theme = isDark(body, documentElement, system.matches) ? "dark" : "light";
  };
  const watcher = new MutationObserver(apply);
  for (const node of [body, documentElement]) watcher.observe(node, { attributes: true });
  system.addEventListener("change", apply);
  apply();
  return () => {
    watcher.disconnect();
    system.removeEventListener("change", apply);
  };
}
