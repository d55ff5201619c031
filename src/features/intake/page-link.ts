import type { Core } from "../../core/core.ts";
import { signerFor } from "../../core/signer-for.ts";

const signerOf = signerFor("page");

/** The endpoint's address for a form on our own error page: it remembers, signed, the page that the visitor came from. */
export function endpointFor(core: Core, endpoint: string, page: string | null): string {
  return page === null
    ? endpoint
    : `${endpoint}?${new URLSearchParams({ page, signature: signerOf(core).sign(page) })}`;
}

/** The page in an address from `endpointFor`; null if there is none or the signature is wrong. */
export function rememberedPage(core: Core, { searchParams }: URL): string | null {
  const page = searchParams.get("page");
  return page !== null && signerOf(core).verify(page, searchParams.get("signature") ?? "") ? page : null;
}
