import { createPublicKey } from "node:crypto";
import type { Dns } from "./dns.ts";
import type { Findings } from "./finding.ts";

/** The public key of one selector. Returns true if receivers can verify signatures with it. */
export async function checkDkim(domain: string, selector: string, dns: Dns, find: Findings): Promise<boolean> {
  const name = `${selector}._domainkey.${domain}`;
  const records = await dns.texts(name);
  const record = records.map(tagsOf).find(({ v, p }) => (v === undefined || v === "DKIM1") && p !== undefined);
  if (!record) {
    find.failed(
      `${name} has no DKIM key: receivers can't verify signatures with this selector.`,
      "Add the record that your mail provider shows, and check the selector: it is s= in the header DKIM-Signature.",
    );
    return false;
  }
  if (record["p"] === "") {
    find.failed(
      `The DKIM key of ${name} is revoked: its p= is empty.`,
      "Publish the current key of your mail provider.",
    );
    return false;
  }
  const bits = sizeOf(record["k"] ?? "rsa", record["p"] ?? "");
  if (bits === null) {
    find.failed(
      `The DKIM key of ${name} can't be read.`,
      "Copy the whole record from your mail provider again; a part may be missing.",
    );
    return false;
  }
  if (bits !== "ed25519" && bits < 1024) {
    find.failed(`The DKIM key of ${name} has ${bits} bits: receivers ignore it.`, "Create a key with 2048 bits.");
    return false;
  }
  if (bits !== "ed25519" && bits < 2048) {
    find.warning(`The DKIM key of ${name} has ${bits} bits.`, "Create a key with 2048 bits.");
  } else if (record["t"]?.split(":").includes("y")) {
    find.warning(`The DKIM key of ${name} is marked as a test.`, "Remove t=y from the record.");
  } else {
    find.ok(`${name} has a key ${bits === "ed25519" ? "for Ed25519" : `with ${bits} bits`}.`);
  }
  return true;
}

/** Tags of a record such as `v=DKIM1; p=…`, by name. */
export function tagsOf(record: string): Record<string, string | undefined> {
  const pairs = record.split(";").map((tag) => {
    const at = tag.indexOf("=");
    return [tag.slice(0, Math.max(at, 0)).trim().toLowerCase(), tag.slice(at + 1).replace(/\s+/g, "")] as const;
  });
  return Object.fromEntries(pairs.filter(([name]) => name !== ""));
}

/** Bits of an RSA key; null if the text is no key. */
function sizeOf(kind: string, base64: string): number | "ed25519" | null {
  const key = Buffer.from(base64, "base64");
  if (kind === "ed25519") return key.length === 32 ? "ed25519" : null;
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key, format: "der", type: "spki" });
    return asymmetricKeyDetails?.modulusLength ?? null;
  } catch {
    return null;
  }
}
