import { escapeHtml } from "../../lib/html.ts";
import { packages } from "../../lib/packages.ts";
import { inSlices } from "../../lib/turn.ts";
import { attributeFault } from "./svg-scan.ts";

/** Deeper than any drawing; the parser's time grows with the square of the depth. */
const MAX_DEPTH = 256;
const SVG = "http://www.w3.org/2000/svg";
const XLINK = "http://www.w3.org/1999/xlink";
const words = (text: string): string[] => text.trim().split(/\s+/);

/** SVG 2 and the parts of 1.1 that browsers draw, without elements that run, embed or link to other documents. */
const ELEMENTS = new Set(
  words(`
  svg g defs symbol use switch view a title desc style
  path rect circle ellipse line polyline polygon image text tspan textPath
  linearGradient radialGradient stop pattern marker clipPath mask filter
  feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight
  feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset
  fePointLight feSpecularLighting feSpotLight feTile feTurbulence
  animate animateMotion animateTransform mpath set
`),
);

/** The attributes of these elements, and all presentation attributes. */
const ATTRIBUTES = new Set(
  words(`
  xmlns xmlns:xlink xml:space xml:lang version baseProfile id class style lang role aria-label aria-labelledby aria-hidden type media
  href xlink:href requiredFeatures requiredExtensions systemLanguage
  width height x y x1 y1 x2 y2 dx dy cx cy r rx ry fx fy fr d points pathLength rotate offset transform viewBox preserveAspectRatio
  textLength lengthAdjust startOffset method spacing side refX refY markerWidth markerHeight markerUnits orient
  gradientUnits gradientTransform spreadMethod patternUnits patternContentUnits patternTransform clipPathUnits maskUnits
  maskContentUnits filterUnits primitiveUnits filterRes
  in in2 result mode values operator k1 k2 k3 k4 order kernelMatrix divisor bias targetX targetY edgeMode kernelUnitLength preserveAlpha
  surfaceScale diffuseConstant specularConstant specularExponent scale xChannelSelector yChannelSelector azimuth elevation z
  pointsAtX pointsAtY pointsAtZ limitingConeAngle stdDeviation radius baseFrequency numOctaves seed stitchTiles tableValues slope
  intercept amplitude exponent
  attributeName attributeType begin dur end min max restart repeatCount repeatDur fill calcMode keyTimes keySplines from to by
  additive accumulate path keyPoints origin
  alignment-baseline baseline-shift clip clip-path clip-rule color color-interpolation color-interpolation-filters color-profile
  color-rendering cursor direction display dominant-baseline enable-background fill-opacity fill-rule filter flood-color
  flood-opacity font-family font-feature-settings font-kerning font-size font-size-adjust font-stretch font-style font-variant
  font-weight glyph-orientation-horizontal glyph-orientation-vertical image-rendering isolation kerning letter-spacing
  lighting-color marker marker-end marker-mid marker-start mask mask-type mix-blend-mode opacity overflow paint-order
  pointer-events shape-rendering solid-color solid-opacity stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset
  stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-anchor text-decoration text-overflow
  text-rendering transform-origin transform-box unicode-bidi vector-effect visibility white-space word-spacing writing-mode
`),
);

/** Removed with their content; of other unknown elements, the known content stays. */
const DROPPED_WHOLE = new Set(
  words("script foreignObject metadata iframe object embed canvas audio video handler listener"),
);

/** Longer than any attribute of a drawing: an expression over a name of megabytes may overflow its stack. */
const MAX_NAME = 64;

/** Characters that the parser gets at once, about a millisecond of work where they are all tags. */
const CHUNK = 4 * 1024;

export class TooDeep extends Error {}

/**
 * The SVG with its drawing alone: known elements and attributes in the SVG namespace, without comments, processing
 * instructions, document type, scripts, handlers, editors' data and external references. The result is well-formed if the input
 * was. In slices of time. Throws `TooDeep`.
 */
export async function cleanSvg(xml: string, prefix: string, team_id?: string): Promise<string> {
  const { Parser } = await packages.htmlparser();
  const pause = inSlices(team_id);
  let out = "";
  /** Names of the open elements as they are written; null for those that are left out. */
  const open: (string | null)[] = [];
  /** Open elements inside the outermost one that is removed whole, and that one itself. */
  let dropped = 0;
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        if (dropped > 0) return void dropped++;
        // Some tools write svg:path.
        const name = prefix && tag.startsWith(prefix) ? tag.slice(prefix.length) : tag;
        if (DROPPED_WHOLE.has(name)) return void dropped++;
        const isKnown = ELEMENTS.has(name);
        if (open.push(isKnown ? name : null) > MAX_DEPTH) throw new TooDeep();
        if (isKnown) out += `<${name}${harmless(attributes, open.length === 1)}>`;
      },
      ontext(text) {
        if (dropped === 0 && typeof open.at(-1) === "string") out += escaped(text);
      },
      onclosetag() {
        if (dropped > 0) return void dropped--;
        const name = open.pop();
        if (name) out += `</${name}>`;
      },
    },
    // XML keeps case, and reads nothing as raw text.
    { xmlMode: true, decodeEntities: true },
  );
  for (let at = 0; at < xml.length; at += CHUNK) {
    parser.write(xml.slice(at, at + CHUNK));
    await pause();
  }
  parser.end();
  return out;
}

/** Apostrophes stay, for the sake of style: values are in double quotes. */
const escaped = (text: string): string => escapeHtml(text).replaceAll("&#39;", "'");

function harmless(attributes: Readonly<Record<string, string>>, isRoot: boolean): string {
  const kept = new Map(
    isRoot
      ? [
          ["xmlns", SVG],
          ["xmlns:xlink", XLINK],
        ]
      : [],
  );
  for (const [full, value] of Object.entries(attributes)) {
    if (full.length > MAX_NAME) continue;
    // Some optimisers give xlink another prefix, so an href with any prefix counts.
    const name = full.replace(/^[\w.-]+:href$/, "xlink:href");
    const isKnown = ATTRIBUTES.has(name) && !name.startsWith("xmlns");
    if (isKnown && value !== "" && attributeFault(name, value) === null) kept.set(name, value);
  }
  return Array.from(kept, ([name, value]) => ` ${name}="${escaped(value)}"`).join("");
}
