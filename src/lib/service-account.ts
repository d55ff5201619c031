import { createPrivateKey } from "node:crypto";

/** The key and address with which a service account of Google signs its tokens. */
export interface ServiceAccount {
  readonly client_email: string;
  /** PKCS #8 in PEM, with real line ends. */
  readonly private_key: string;
}

/** The fault of a key file: the member, `""` for the file itself, and a sentence without its subject. */
export interface KeyFileFault {
  readonly at: "" | "client_email" | "private_key";
  readonly fault: string;
}

const WANTED = "create a key of a service account (Google Cloud console, IAM, Service accounts, Keys, JSON)";

/**
 * Reads the JSON of a service account's key file, as an object or as the text of a variable, in which the line ends of the key may
 * be escaped twice. Every other member of the file is left out.
 */
export function serviceAccountOf(given: unknown): ServiceAccount | KeyFileFault {
  const file = typeof given === "string" ? parsed(given) : given;
  if (typeof file !== "object" || file === null || Array.isArray(file))
    return { at: "", fault: "must be the JSON of a service account's key file" };
  const { type, client_email, private_key } = file as Readonly<Record<string, unknown>>;
  if ("installed" in file || "web" in file) return { at: "", fault: `is the key file of an OAuth client; ${WANTED}` };
  if (type !== undefined && type !== "service_account")
    return { at: "", fault: `is a key file of another kind, not of a service account; ${WANTED}` };
  if (typeof client_email !== "string" || !/^[^\s@]+@[^\s@]+$/.test(client_email))
    return { at: "client_email", fault: `must be the address of the service account; ${WANTED}` };
  if (typeof private_key !== "string") return { at: "private_key", fault: `is required; ${WANTED}` };
  const key = private_key.replaceAll("\\r", "").replaceAll("\\n", "\n").replaceAll("\r", "").trim();
  if (!isRsaKey(key))
    return {
      at: "private_key",
      fault: "is no private key; copy all of it, from -----BEGIN PRIVATE KEY----- to -----END PRIVATE KEY-----",
    };
  return { client_email, private_key: `${key}\n` };
}

function isRsaKey(pem: string): boolean {
  if (!pem.startsWith("-----BEGIN PRIVATE KEY-----")) return false;
  try {
    return createPrivateKey(pem).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
