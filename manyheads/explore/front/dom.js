// Making elements, in as few words as the explorers need.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element: h("button", { type: "button", onclick: f }, "text"). */
export function h(tag, attributes = {}, ...children) {
  return build(document.createElement(tag), attributes, children);
}

/** An SVG element, in the same way. */
export function svg(tag, attributes = {}, ...children) {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child != null && child !== false));
  return element;
}

let made = 0;

/** An id that no other element of the page has, for labels. */
export function freshId(prefix = "mh") {
  made += 1;
  return `${prefix}-${made}`;
}
