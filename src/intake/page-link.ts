import { createHmac } from "node:crypto";
import type { Core } from "../core.ts";
import { deriveKey } from "../lib/seal.ts";
import { sameSecret } from "../lib/secret.ts";

/** The endpoint's address for a form on our own error page: it remembers, signed, the page that the visitor came from. */
export function endpointFor(core: Core, endpoint: string, page: string | null): string {
  return page === null ? endpoint : `${endpoint}?${new URLSearchParams({ page, signature: sign(core, page) })}`;
}

/** The page that an address made by `endpointFor` remembers; null where it has none or somebody else wrote it. */
export function rememberedPage(core: Core, { searchParams }: URL): string | null {
  const page = searchParams.get("page");
  return page !== null && sameSecret(searchParams.get("signature") ?? "", sign(core, page)) ? page : null;
}

const sign = ({ options }: Core, page: string): string =>
  createHmac("sha256", deriveKey(options.secret, "page")).update(page).digest("base64url");
