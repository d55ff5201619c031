import type { Attributes, IOptions } from "sanitize-html";
import { packages } from "../lib/packages.ts";
import { attributeFault } from "./svg-scan.ts";

/** Deeper than any drawing; the parser's time grows with the square of the depth. */
const MAX_DEPTH = 256;
const SVG = "http://www.w3.org/2000/svg";
const XLINK = "http://www.w3.org/1999/xlink";
const words = (text: string): string[] => text.trim().split(/\s+/);

/** SVG 2 and the parts of 1.1 that browsers draw, without elements that run, embed or link to other documents. */
const ELEMENTS = words(`
  svg g defs symbol use switch view a title desc style
  path rect circle ellipse line polyline polygon image text tspan textPath
  linearGradient radialGradient stop pattern marker clipPath mask filter
  feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight
  feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset
  fePointLight feSpecularLighting feSpotLight feTile feTurbulence
  animate animateMotion animateTransform mpath set
`);

/** The attributes of these elements, and all presentation attributes. */
const ATTRIBUTES = words(`
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
`);

/** For style while it is cleaned: of an element by that name the package writes the text as it is, and markup in CDATA would get through. */
const STYLE = "css-text";

/** Removed with their content; of other unknown elements, the known content stays. */
const DROPPED_WHOLE = words("script foreignObject metadata iframe object embed canvas audio video handler listener");

export class TooDeep extends Error {}

/**
 * The SVG with its drawing alone: known elements and attributes in the SVG namespace, without comments, processing
 * instructions, document type, scripts, handlers, editors' data and external references. The result is well-formed if the input
 * was. Throws `TooDeep`.
 */
export async function cleanSvg(xml: string, prefix: string): Promise<string> {
  // Loaded at first use: it imports a parser of style sheets.
  const { default: sanitize } = await packages.sanitize();
  let depth = 0;
  // Some tools write svg:path; the names go in as they are and come out without the prefix.
  const names = [STYLE, ...ELEMENTS, ...(prefix ? ELEMENTS.map((name) => prefix + name) : [])];
  const options: IOptions & { onCloseTag: () => void } = {
    // XML keeps case, and reads nothing as raw text.
    parser: { xmlMode: true, decodeEntities: true },
    allowedTags: names,
    allowedAttributes: { "*": ATTRIBUTES },
    disallowedTagsMode: "completelyDiscard",
    nonTextTags: DROPPED_WHOLE,
    // The scanner judges style.
    allowVulnerableTags: true,
    parseStyleAttributes: false,
    allowedSchemes: ["data"],
    allowedSchemesAppliedToAttributes: ["href", "xlink:href"],
    allowProtocolRelative: false,
    selfClosing: [],
    // An attribute that is empty would come out without a value, which is no XML.
    nonBooleanAttributes: ["*"],
    onOpenTag: () => {
      if (++depth > MAX_DEPTH) throw new TooDeep();
    },
    onCloseTag: () => {
      depth--;
    },
    transformTags: {
      "*": (name, attributes) => ({
        tagName: name === STYLE ? "style" : prefix && name.startsWith(prefix) ? name.slice(prefix.length) : name,
        attribs: harmless(attributes, depth === 1),
      }),
    },
  };
  return sanitize(xml.replace(/<(\/?)style(?=[\s/>])/g, `<$1${STYLE}`), options);
}

function harmless(attributes: Attributes, isRoot: boolean): Attributes {
  const kept = Object.entries(attributes)
    // Some optimisers give xlink another prefix, so an href with any prefix counts.
    .map(([name, value]) => [name.replace(/^[\w.-]+:href$/, "xlink:href"), value] as const)
    .filter(([name, value]) => !name.startsWith("xmlns") && attributeFault(name, value) === null);
  return Object.fromEntries(isRoot ? [["xmlns", SVG], ["xmlns:xlink", XLINK], ...kept] : kept);
}
