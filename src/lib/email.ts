import { domainToASCII } from "node:url";
import { z } from "zod";

// Unquoted local part of RFC 5322 (dot-atom) plus the letters of RFC 6531; no quotes, comments, groups or lists, which are
// ways to smuggle a second recipient past a check.
const LOCAL = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
// `domainToASCII` parses like a URL's host: it drops line breaks and cuts at / \ ? #, so that rubbish behind a domain would pass.
const DOMAIN = /^[A-Za-z0-9.\P{ASCII}-]+$/u;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;

/** The one rule for email addresses: exactly one address, at most 254 characters, a domain with a dot. */
export function isEmail(text: string): boolean {
  if (text.length > 254) return false;
  const at = text.lastIndexOf("@");
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || local.length > 64 || !LOCAL.test(local) || !DOMAIN.test(domain)) return false;
  const labels = domainToASCII(domain).split(".");
  return labels.length > 1 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? "");
}

export const Email = z
  .string()
  .refine(isEmail, "must be one email address, such as name@example.com")
  .meta({ format: "idn-email" });

/** `Name <address>` or an address alone, as the option `from` and an email server's `from` take it; null when it is neither. */
export function parseMailbox(text: string): { name: string; address: string } | null {
  const match = /^\s*(?:"?([^"<>]*?)"?\s*<([^<>\s]+)>|([^<>\s]+))\s*$/.exec(text);
  const address = match?.[2] ?? match?.[3] ?? "";
  return isEmail(address) ? { name: match?.[1] ?? "", address } : null;
}
