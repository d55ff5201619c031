import { mix } from "../../../lib/colour.ts";
import { tint } from "../palette.ts";
import type { Theme } from "../theme.ts";

/** Warm: a soft tint of the form's colour with sprinkles of the second, round shapes and a heart. */
export const sweet: Theme = {
  surfaces: (scheme, { primary, secondary }) =>
    scheme === "light"
      ? {
          backdrop: tint("light", primary, 0.13),
          glow: tint("light", secondary, 0.4),
          card: "#ffffff",
          line: tint("light", primary, 0.3),
        }
      : {
          backdrop: tint("dark", primary, 0.16),
          glow: mix(tint("dark", primary, 0.16), secondary, 0.14),
          card: tint("dark", primary, 0.07),
          line: tint("dark", primary, 0.35),
        },
  markBesideLogo: true,
  heart: true,
  css:
    "body{font-family:ui-rounded,'SF Pro Rounded','Hiragino Maru Gothic ProN',Quicksand,Nunito,'Segoe UI',system-ui,sans-serif;" +
    "background:radial-gradient(circle at 25% 30%,var(--glow) 0 5px,transparent 6px) 0 0/88px 88px,radial-gradient(circle at 70% 75%,var(--line) 0 3px,transparent 4px) 0 0/88px 88px,var(--backdrop)}" +
    "main{padding:clamp(32px,8vw,52px) clamp(20px,7vw,48px);border:2px solid var(--line);border-radius:32px;text-align:center}" +
    "h1{color:var(--accent);font-weight:700}" +
    ".mark{width:60px;height:60px;margin:0 auto 16px;stroke:var(--accent);fill:none}.mark.heart{fill:var(--primary);stroke:var(--primary-edge);stroke-width:1}" +
    ".logo{margin-inline:auto}.actions{justify-content:center}" +
    ".button{padding-inline:28px;border-radius:26px}input,textarea,select,pre{border-radius:16px}form,.field,pre{text-align:start}",
};
