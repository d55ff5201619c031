import { createHmac } from "node:crypto";
import type { Core } from "../../core/core.ts";
import { perBackend } from "../../core/per-backend.ts";
import { sameSecret } from "../../lib/secret.ts";
import { createKeyring } from "../../lib/secrets.ts";

const keysOf = perBackend(({ options }) => createKeyring(() => options.secrets, "reply address"));

/** Submission ids are hex, which mail servers can't change: they may turn a local part into upper or lower case. */
const ID = /^[0-9a-f]{1,32}$/;
const TOKEN = /^reply\+([0-9a-f]{1,32})-([0-9a-f]{24})$/;

/**
 * The address that a visitor's answer to a submission comes to, at most 64 characters before the `@` (RFC 5321, 4.5.3.1.1).
 * Whoever knows it can add to this conversation and read nothing. Undefined without the option `inbound`.
 */
export function replyAddress(core: Core, submission_id: string): string | undefined {
  const domain = core.options.inbound?.domain;
  return domain === undefined || !ID.test(submission_id)
    ? undefined
    : `reply+${submission_id}-${signature(keysOf(core).current().key, submission_id)}@${domain}`;
}

/** The submission that an address of ours belongs to; null for every other address. */
export function submissionOfAddress(core: Core, address: string): string | null {
  const domain = core.options.inbound?.domain.toLowerCase();
  const [local = "", host = ""] = address.toLowerCase().split(/@(?=[^@]*$)/);
  const [, id, given] = (host === domain && TOKEN.exec(local)) || [];
  if (id === undefined || given === undefined) return null;
  return keysOf(core)
    .all()
    .some((key) => sameSecret(given, signature(key, id)))
    ? id
    : null;
}

/** 96 bits, in lower-case hex. Addresses of a former secret stay good while the option `secret` lists it. */
const signature = (key: Uint8Array, id: string): string =>
  createHmac("sha256", key).update(id).digest("hex").slice(0, 24);
