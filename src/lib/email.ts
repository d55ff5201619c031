import { domainToASCII } from "node:url";

// Unquoted local part of RFC 5322 (dot-atom) plus the letters of RFC 6531; no quotes, comments, groups or lists, which are
// ways to smuggle a second recipient past a check.
const LOCAL = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
// `domainToASCII` parses like the host of a URL: it drops line breaks and cuts at / \ ? #, so it would accept rubbish after a
// domain.
const DOMAIN = /^[A-Za-z0-9.\P{ASCII}-]+$/u;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
/** A domain that is its DNS name but for case: ASCII, no encoded IDN, and no number at the end, which would make it an IP address. */
const PLAIN = /^(?!.*xn--)[a-z0-9.-]*\.[a-z][a-z0-9-]*$/i;

/** The DNS name of a domain. The host parser of URLs takes longer than all other checks, and nearly no domain needs it. */
const dnsName = (domain: string): string => (PLAIN.test(domain) ? domain.toLowerCase() : domainToASCII(domain));

/** The one rule for email addresses: exactly one address, at most 254 characters, a domain with a dot. */
export function isEmail(text: string): boolean {
  if (text.length > 254) return false;
  const at = text.lastIndexOf("@");
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || local.length > 64 || !LOCAL.test(local) || !DOMAIN.test(domain)) return false;
  const labels = dnsName(domain).split(".");
  return labels.length > 1 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? "");
}

/** The domain of an address as its DNS name: full-width letters, soft hyphens and IDN spellings all become one. */
export const domainOf = (address: string): string => dnsName(address.slice(address.lastIndexOf("@") + 1));

/** An address in its one spelling, to tell whether two are the same one: case and the spelling of the domain don't count. */
export const sameAddressKey = (address: string): string =>
  `${address.slice(0, address.lastIndexOf("@")).normalize("NFKC").toLowerCase()}@${domainOf(address)}`;

/** One entry per address, ignoring case and the spelling of its domain; the first one is kept. */
export function distinct(addresses: readonly string[]): string[] {
  const seen = new Set<string>();
  return addresses.filter((address) => !seen.has(sameAddressKey(address)) && seen.add(sameAddressKey(address)));
}

/**
 * The mailbox that an address belongs to, for counting its mail. Leaves out the part after a `+`, and Gmail's dots: `ann+1@…`
 * and `ann+2@…` reach the same person, who could otherwise be sent any number of mails.
 */
export function mailboxKey(address: string): string {
  const key = sameAddressKey(address);
  const at = key.lastIndexOf("@");
  const domain = key.slice(at + 1);
  const local = key.slice(0, at).replace(/(?<=.)\+.*$/, "");
  const gmail = domain === "gmail.com" || domain === "googlemail.com";
  return gmail ? `${local.replaceAll(".", "")}@gmail.com` : `${local}@${domain}`;
}

/** `Name <address>` or an address alone, as the option `from` and an email server's `from` take it; null when it is neither. */
export function parseMailbox(text: string): { name: string; address: string } | null {
  const match = /^\s*(?:"?([^"<>]*?)"?\s*<([^<>\s]+)>|([^<>\s]+))\s*$/.exec(text);
  const address = match?.[2] ?? match?.[3] ?? "";
  return isEmail(address) ? { name: match?.[1] ?? "", address } : null;
}

/** An address for a log: enough to find it again for one who knows it, and too little to write to. */
export const maskEmail = (address: string): string =>
  `${[...address][0] ?? ""}…${address.slice(address.lastIndexOf("@"))}`;

const ADDRESSES = /[^\s<>()[\]"',;:]{1,254}@[^\s<>()[\]"',;:]{1,254}/gu;

/** Text of a mail server for a log: the addresses in it are masked. */
export const maskEmails = (text: string): string => text.replace(ADDRESSES, maskEmail);
