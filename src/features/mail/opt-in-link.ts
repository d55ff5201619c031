import type { Core } from "../../core/core.ts";
import { signerFor } from "../../core/signer-for.ts";

const signerOf = signerFor("double opt-in");

/** The content of a confirmation link. */
export interface OptInLink {
  readonly submission_id: string;
  /** Until when it works, in epoch ms. */
  readonly expires: number;
}

/** The token after `/c/`. It does not reveal the address. */
export function optInToken(core: Core, { submission_id, expires }: OptInLink): string {
  const body = Buffer.from(JSON.stringify([submission_id, expires])).toString("base64url");
  return `${body}.${signerOf(core).sign(body)}`;
}

/** The content of a token; null if it is not ours. */
export function readOptIn(core: Core, token: string): OptInLink | null {
  const [body = "", signature = "", ...more] = token.split(".", 3);
  if (more.length > 0 || !signerOf(core).verify(body, signature)) return null;
  const [submission_id, expires] = JSON.parse(Buffer.from(body, "base64url").toString()) as [string, number];
  return { submission_id, expires };
}
