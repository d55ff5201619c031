import type { CaptchaProvider } from "../../../model/form-leaves.ts";

const shapes: readonly (readonly [CaptchaProvider, RegExp])[] = [
  ["recaptcha", /^6L[0-9A-Za-z_-]{38}$/],
  ["hcaptcha", /^(ES_[0-9a-f]{32}|0x[0-9A-Fa-f]{40})$/],
  ["turnstile", /^(0x4AAAAAAA[0-9A-Za-z_-]{20,}|[123]x[0-9A-Za-z]{10,})$/],
  ["altcha", /^altcha_.{16,}$/],
];

/** The provider that a captcha secret belongs to, by its shape; null when it is none we know. */
export function providerOfSecret(secret: string): CaptchaProvider | null {
  return shapes.find(([, shape]) => shape.test(secret))?.[0] ?? null;
}
