import { type DefaultTreeAdapterMap, parse } from "parse5";

type Node = DefaultTreeAdapterMap["node"];
type Element = DefaultTreeAdapterMap["element"];

const isElement = (node: Node): node is Element => "tagName" in node;
const childrenOf = (node: Node): readonly Node[] => ("childNodes" in node ? node.childNodes : []);
const attribute = (node: Element, name: string): string | null =>
  node.attrs.find((one) => one.name === name)?.value ?? null;

function* within(node: Node): Generator<Element> {
  for (const child of childrenOf(node)) {
    if (isElement(child)) yield child;
    yield* within(child);
  }
}

const textOf = (node: Node): string =>
  "value" in node && node.nodeName === "#text" ? node.value : childrenOf(node).map(textOf).join("");

/** The values that a browser would post for the form of a page that posts to `action`. */
export function formOf(page: string, action: string): Record<string, string> {
  const form = [...within(parse(page))].find(
    (node) => node.tagName === "form" && attribute(node, "action")?.endsWith(action),
  );
  if (!form) throw new Error(`no form posts to ${action}`);
  const values: Record<string, string> = {};
  const collect = (node: Node): void => {
    if (isElement(node)) {
      const name = attribute(node, "name");
      if (attribute(node, "disabled") !== null) return;
      const value = name === null ? null : valueOfControl(node);
      if (name !== null && value !== null) values[name] = value.replace(/\r\n?|\n/g, "\r\n");
    }
    for (const child of childrenOf(node)) collect(child);
  };
  collect(form);
  return values;
}

function valueOfControl(node: Element): string | null {
  if (node.tagName === "textarea") return textOf(node);
  if (node.tagName === "select") {
    const options = [...within(node)].filter(({ tagName }) => tagName === "option");
    const chosen = options.find((option) => attribute(option, "selected") !== null) ?? options[0];
    return chosen ? (attribute(chosen, "value") ?? textOf(chosen)) : null;
  }
  if (node.tagName !== "input") return null;
  const type = attribute(node, "type");
  if ((type === "checkbox" || type === "radio") && attribute(node, "checked") === null) return null;
  // A browser drops line breaks from the value of an input.
  return (attribute(node, "value") ?? "on").replace(/[\r\n]/g, "");
}
