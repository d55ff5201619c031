import { mix } from "../../../lib/colour.ts";
import { tint } from "../palette.ts";
import type { Theme } from "../theme.ts";

/** Festive: the whole window runs from the form's first colour to its second, and the card floats on it under a seal. */
export const fancy: Theme = {
  surfaces: (scheme, { primary, secondary }) =>
    scheme === "light"
      ? { backdrop: primary, glow: mix(primary, secondary, 0.6), card: "#ffffff", line: "#e2e6ec" }
      : {
          backdrop: tint("dark", primary, 0.55),
          glow: tint("dark", mix(primary, secondary, 0.3), 0.22),
          card: "#151b2a",
          line: "#2b3446",
        },
  markBesideLogo: true,
  css:
    "body{background:var(--backdrop) linear-gradient(150deg,var(--backdrop),var(--glow));padding-top:64px}" +
    "main{padding:0 clamp(20px,7vw,48px) clamp(32px,8vw,48px);border-radius:20px;box-shadow:0 2px 6px #0000001a,0 24px 64px #00000033;text-align:center}" +
    "h1{font-weight:750;letter-spacing:-.02em}" +
    ".mark{width:84px;height:84px;margin:-42px auto 20px;padding:18px;border:6px solid var(--card);border-radius:50%;background:var(--primary);stroke:var(--on-primary);stroke-width:2.6}" +
    ".logo{margin-inline:auto}.actions{justify-content:center}" +
    ".button{padding-inline:30px;border-radius:26px}input,textarea,select,pre{border-radius:10px}form,.field,pre{text-align:start}",
};
