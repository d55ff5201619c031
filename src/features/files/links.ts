import type { Core } from "../../core/core.ts";
import { signerFor } from "../../core/signer-for.ts";

const signerOf = signerFor("files");

/** A file's public URL, good until `expiresAt` (epoch ms). The same file and time give the same URL. */
export function fileUrl(core: Core, id: string, name: string, expiresAt: number): string {
  const expires = String(Math.floor(expiresAt / 1000));
  const query = new URLSearchParams({ expires, signature: signerOf(core).sign(signed(id, name, expires)) });
  return `${core.options.baseUrl}/files/${id}/${encodeURIComponent(name)}?${query}`;
}

/** True if a URL was made by `fileUrl` and is still good. */
export function isLive(core: Core, id: string, name: string, { searchParams }: URL): boolean {
  const expires = searchParams.get("expires") ?? "";
  const signature = searchParams.get("signature") ?? "";
  if (!signerOf(core).verify(signed(id, name, expires), signature)) return false;
  return core.clock.now() < Number(expires) * 1000;
}

/** Expiry time of a link made now, in epoch ms. */
export const linkExpiry = ({ clock, options }: Core): number => clock.now() + options.files.linkTtlSeconds * 1000;

const signed = (id: string, name: string, expires: string): string => JSON.stringify([id, name, expires]);
