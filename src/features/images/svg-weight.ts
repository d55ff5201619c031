import { unescapedCss } from "./css.ts";

/** An element as far as the time counts that a browser takes to draw it. */
interface Node {
  readonly name: string;
  readonly id: string | undefined;
  readonly classes: readonly string[];
  /** The cost of the element itself. */
  readonly own: number;
  /** The points at which its markers are drawn. */
  readonly points: number;
  readonly refs: string[];
  readonly children: Node[];
}

/** Sums up the cost of drawing an SVG in which parts refer to other parts. */
export interface Weigher {
  open(name: string, attributes: ReadonlyMap<string, string>): void;
  close(): void;
  style(css: string): void;
  /** Finds out in steps why the drawing is refused, null where it is not. */
  faultSteps(): Generator<void, string | null>;
}

/**
 * The most elements that a browser would draw, each part counted as often as it is referred to: a few lines can expand to
 * billions.
 */
const MAX_WEIGHT = 200_000;
/** Rules of style times elements: each rule is tried on each. */
const MAX_PAIRS = 1_000_000;
/** References that style can give to one element. */
const MAX_STYLED = 5_000;
/** Tries and references of one step, about a millisecond. */
const STEP = 2_000;
/** Each of these runs over all pixels. */
const FILTER_STEP = 100;
/** Each tile may be drawn again. */
const TILES = 16;

/** Elements that style paints or filters are never these. */
const PAINTLESS = /^(fe\w+|filter|stop|\w+gradient)$/;

/** Drawn only where something refers to them. */
const REFERRED = new Set("defs symbol pattern marker clippath mask filter lineargradient radialgradient".split(" "));
/** Their `href` links somewhere or names a moved element, and draws nothing. */
const LEADING = new Set("a animate animatemotion animatetransform set mpath".split(" "));

/** Takes the elements of an SVG in their order, with lower-case names without prefix. */
export function createWeigher(): Weigher {
  const root = nodeOf("svg", new Map());
  const open = [root];
  const all: Node[] = [];
  const rules: { readonly selectors: readonly Selector[]; readonly refs: readonly string[] }[] = [];
  return {
    open(name, attributes) {
      const node = nodeOf(name, attributes);
      open.at(-1)?.children.push(node);
      open.push(node);
      all.push(node);
    },
    close: () => void open.pop(),
    style(css) {
      for (const rule of css.split("}")) {
        const at = rule.lastIndexOf("{");
        const refs = at < 0 ? [] : urlsIn(rule.slice(at));
        if (refs.length === 0) continue;
        const selectors = rule.slice(rule.lastIndexOf("{", at - 1) + 1, at).split(",");
        rules.push({ selectors: selectors.map(selectorOf), refs });
      }
    },
    *faultSteps() {
      const most = rules.reduce((sum, { selectors, refs }) => sum + selectors.length * refs.length, 0);
      if (most > MAX_STYLED || most * all.length > MAX_PAIRS) return "holds too much style that refers to its parts";
      let tried = 0;
      for (const { selectors, refs } of rules) {
        for (const node of all) {
          if (selectors.some((one) => mayMatch(one, node))) for (const ref of refs) node.refs.push(ref);
          tried += selectors.length + refs.length;
          if (tried < STEP) continue;
          tried = 0;
          yield;
        }
      }
      const weight = yield* weightOf(
        root,
        new Map(all.flatMap((node) => (node.id === undefined ? [] : [[node.id, node]]))),
      );
      if (weight === null) return "refers to itself, so that drawing it would not end";
      return weight > MAX_WEIGHT ? "stands for too many elements; use fewer references, patterns and filters" : null;
    },
  };
}

function nodeOf(name: string, attributes: ReadonlyMap<string, string>): Node {
  const refs: string[] = [];
  for (const [full, value] of attributes) {
    const isHref = full === "href" || full.endsWith(":href");
    if (isHref && !LEADING.has(name) && value.trim().startsWith("#")) refs.push(value.trim().slice(1));
    else for (const id of urlsIn(value)) refs.push(id);
  }
  return {
    name,
    id: attributes.get("id"),
    classes: (attributes.get("class") ?? "").split(/\s+/).filter((one) => one !== ""),
    own: name.startsWith("fe") ? stepOf(attributes) : 1,
    points: 1 + numbersIn(attributes.get("d") ?? attributes.get("points") ?? ""),
    refs,
    children: [],
  };
}

/** The count of runs of digits. */
function numbersIn(text: string): number {
  let count = 0;
  let inside = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isDigit = code >= 48 && code <= 57;
    if (isDigit && !inside) count++;
    inside = isDigit;
  }
  return count;
}

/** The cost of a filter step depends on its numbers. */
function stepOf(attributes: ReadonlyMap<string, string>): number {
  const most = (name: string): number =>
    Math.max(1, ...(attributes.get(name) ?? "").split(/[\s,]+/, 4).map((text) => Math.abs(Number(text)) || 0));
  return FILTER_STEP * Math.max(most("numOctaves"), most("order") ** 2 / 9, most("radius") / 10);
}

const urlsIn = (text: string): string[] =>
  [...unescapedCss(text).matchAll(/url\(\s*(?:["']\s*)?#([^"')]*)/gi)].map(([, id = ""]) => id.trim());

/** The last part of a selector, which says the element that it is for. Null if it may be for all of them. */
type Selector = { readonly tag: string; readonly ids: readonly string[]; readonly classes: readonly string[] } | null;

function selectorOf(text: string): Selector {
  const last =
    text
      .trim()
      .split(/[\s>+~]+/)
      .at(-1) ?? "";
  const [, tag = "", rest = ""] = /^([\w-]*)((?:[.#][\w-]+)*)$/.exec(last) ?? [];
  if (tag === "" && rest === "") return null;
  const names = rest.match(/[.#][\w-]+/g) ?? [];
  const of = (sign: string): string[] => names.filter((one) => one.startsWith(sign)).map((one) => one.slice(1));
  return { tag: tag.toLowerCase(), ids: of("#"), classes: of(".") };
}

function mayMatch(selector: Selector, { name, id, classes }: Node): boolean {
  if (PAINTLESS.test(name)) return false;
  if (selector === null) return true;
  if (selector.tag !== "" && selector.tag !== name) return false;
  return selector.ids.every((one) => id === one) && selector.classes.every((one) => classes.includes(one));
}

/** Null if a part refers to itself. Without recursion, whose depth the file would decide. */
function* weightOf(root: Node, named: ReadonlyMap<string, Node>): Generator<void, number | null> {
  const known = new Map<Node, number>();
  const running = new Set<Node>();
  const stack: Node[] = [root];
  let looked = 0;
  while (stack.length > 0) {
    const node = stack.at(-1) as Node;
    if (known.has(node)) {
      stack.pop();
      continue;
    }
    const drawn = node.children.filter(({ name }) => !REFERRED.has(name));
    const referred = node.refs.flatMap((id) => named.get(id) ?? []);
    looked += 1 + node.children.length + node.refs.length;
    if (looked >= STEP) {
      looked = 0;
      yield;
    }
    if (!running.has(node)) {
      running.add(node);
      for (const part of [...drawn, ...referred]) {
        if (running.has(part) && !known.has(part)) return null;
        if (!known.has(part)) stack.push(part);
      }
      continue;
    }
    const times = ({ name }: Node): number => (name === "pattern" ? TILES : name === "marker" ? node.points : 1);
    const parts = drawn.map((part) => known.get(part) ?? 0);
    known.set(
      node,
      [...parts, ...referred.map((part) => times(part) * (known.get(part) ?? 0))].reduce((a, b) => a + b, node.own),
    );
    stack.pop();
  }
  return known.get(root) ?? 0;
}
