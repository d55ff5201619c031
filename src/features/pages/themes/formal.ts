import { tint } from "../palette.ts";
import type { Theme } from "../theme.ts";

/** Sober: a plain card with a bar of the form's colour, everything on one left edge. */
export const formal: Theme = {
  surfaces: (scheme, { primary }) =>
    scheme === "light"
      ? { backdrop: "#f3f4f6", glow: tint("light", primary, 0.14), card: "#ffffff", line: "#dfe3e8" }
      : { backdrop: "#0b0f19", glow: tint("dark", primary, 0.24), card: "#141a28", line: "#2b3446" },
  markBesideLogo: false,
  css:
    "main{padding:clamp(28px,7vw,44px) clamp(20px,6vw,44px);border:1px solid var(--line);border-top:5px solid var(--primary-edge);border-radius:8px;box-shadow:0 1px 3px #0000000f}" +
    "h1{font-weight:650;letter-spacing:-.012em}" +
    ".mark{width:48px;height:48px;padding:12px;border-radius:50%;background:var(--glow);stroke:var(--accent-on-glow)}" +
    ".button,input,textarea,select,pre{border-radius:6px}",
};
