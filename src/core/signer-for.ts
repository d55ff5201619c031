import { createSigner, type Signer } from "../lib/signer.ts";
import type { Core } from "./core.ts";
import { perBackend } from "./per-backend.ts";

/** The signer of one purpose in each backend, under the option `secret`. No two features may name the same purpose. */
export const signerFor = (purpose: string): ((core: Core) => Signer) =>
  perBackend(({ options }) => createSigner(() => options.secrets, purpose));
