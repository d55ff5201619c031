// Not imported by name: that fails with a SyntaxError on Node 18, before our message about the Node version.
import crypto from "node:crypto";
import { isEmail, sameAddressKey } from "../lib/email.ts";
import { type Leaf, text } from "../lib/leaves.ts";
import type { SubmissionField } from "./submission-field.ts";

/** Fields among which an address is looked for. */
const MOST_FIELDS = 200;

/** The address that somebody may be answered at: the first value that is one, preferably of a field named like one. */
export function addressIn(fields: readonly SubmissionField[]): string | null {
  const addresses = fields.slice(0, MOST_FIELDS).filter(({ value }) => value.length <= 320 && isEmail(value.trim()));
  return (addresses.find(({ key }) => /mail|reply/i.test(key)) ?? addresses[0])?.value.trim() ?? null;
}

/**
 * The sender of a submission as its column has it: a hash of the address, in any case and either spelling of the domain, that
 * fits into an index. Null without an address in clear: a hash of an encrypted one would let it be guessed.
 */
export function senderOf(fields: readonly SubmissionField[]): string | null {
  const address = addressIn(fields);
  return address === null ? null : crypto.hash("sha256", sameAddressKey(address), "base64url").slice(0, 22);
}

const hash = text();
/** Null stays null, so that a row of a store with columns is used as it is. */
export const senderLeaf: Leaf<string | null | undefined> = {
  read: (stored) => (stored === null || stored === undefined ? stored : hash.read(stored)),
};
