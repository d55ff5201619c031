import { createHmac } from "node:crypto";
import type { Core } from "../core.ts";
import { deriveKey } from "../lib/seal.ts";
import { sameSecret } from "../lib/secret.ts";

/** A file's public URL, good until `expiresAt` (epoch ms). The same file and time give the same URL. */
export function fileUrl(core: Core, id: string, name: string, expiresAt: number): string {
  const expires = String(Math.floor(expiresAt / 1000));
  const query = new URLSearchParams({ expires, signature: sign(core, id, name, expires) });
  return `${core.options.baseUrl}/files/${id}/${encodeURIComponent(name)}?${query}`;
}

/** Whether a URL was made by `fileUrl` and is still good. */
export function isLive(core: Core, id: string, name: string, { searchParams }: URL): boolean {
  const expires = searchParams.get("expires") ?? "";
  const signature = searchParams.get("signature") ?? "";
  if (!sameSecret(signature, sign(core, id, name, expires))) return false;
  return core.clock.now() < Number(expires) * 1000;
}

/** When a link made now ends, in epoch ms. */
export const linkExpiry = ({ clock, options }: Core): number => clock.now() + options.files.linkTtlSeconds * 1000;

const sign = ({ options }: Core, id: string, name: string, expires: string): string =>
  createHmac("sha256", deriveKey(options.secret, "files"))
    .update(JSON.stringify([id, name, expires]))
    .digest("base64url");
