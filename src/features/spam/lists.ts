import type { BlockList } from "node:net";
import { isIP } from "node:net";
import { cidrList } from "../../lib/cidr.ts";
import { domainOf, isEmail, sameAddressKey } from "../../lib/email.ts";
import type { SpamSettings } from "../../model/spam-settings.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import type { Verdict } from "../../model/verdict.ts";
import { textOf } from "./findings.ts";
import { type WordFinder, wordFinder } from "./words.ts";

/** Addresses of a post that are looked up. */
const MAX_ADDRESSES = 20;

/** The sender of a post, as far as the post tells. */
export interface Origin {
  /** The address that a reply would go to; null if there is none. */
  readonly sender: string | null;
  readonly ip: string | null;
  readonly country: string | null;
}

type Finder = (of: string) => boolean;

interface Lists {
  readonly words: WordFinder;
  readonly senders: Finder;
  readonly ips: Finder;
  readonly countries: ReadonlySet<string>;
  readonly allowedSenders: Finder;
  readonly allowedIps: Finder;
}

/** The lists as they are looked up, made once for each version of a form and released with it. */
const ready = new WeakMap<SpamSettings, Lists>();

const nothing: Finder = () => false;

function listsOf(settings: SpamSettings): Lists {
  const known = ready.get(settings);
  if (known) return known;
  const made: Lists = {
    words: wordFinder(settings.words),
    senders: senderFinder(settings.senders),
    ips: ipFinder(settings.ips),
    countries: new Set(settings.countries),
    allowedSenders: senderFinder(settings.allow.senders),
    allowedIps: ipFinder(settings.allow.ips),
  };
  ready.set(settings, made);
  return made;
}

/** `@example.com` stands for everybody there, but not for subdomains: they may be somebody else's. */
function senderFinder(senders: readonly string[]): Finder {
  if (senders.length === 0) return nothing;
  const known = new Set(senders.map((text) => (text.startsWith("@") ? `@${domainOf(text)}` : sameAddressKey(text))));
  return (address) => known.has(sameAddressKey(address)) || known.has(`@${domainOf(address)}`);
}

function ipFinder(ips: readonly string[]): Finder {
  if (ips.length === 0) return nothing;
  const list: BlockList = cidrList(ips, (text) => new TypeError(`not a range of IP addresses: ${text}`));
  return (ip) => {
    // An IPv4 address that came over IPv6 is itself.
    const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1] ?? ip;
    const family = isIP(plain);
    return family !== 0 && list.check(plain, family === 4 ? "ipv4" : "ipv6");
  };
}

/** A post as the lists look at it. */
export interface Listed extends Origin {
  readonly fields: readonly SubmissionField[];
  readonly headers: readonly string[];
  /** The fields whose values may be stored as they are: a reason names no other value. */
  readonly told: readonly SubmissionField[];
}

/**
 * The verdicts of a form's lists. `allowed` is set if the sender or the address is allowed, and then nothing is blocked. A post is
 * blocked by any address in it, but allowed only by the one that a reply would go to.
 */
export function listVerdicts(settings: SpamSettings, post: Listed): { allowed: Verdict | null; blocked: Verdict[] } {
  const { fields, sender, ip, country, told } = post;
  const lists = listsOf(settings);
  const naming = (address: string): { reason?: string } => {
    const isHidden = fields.some((field) => !told.includes(field) && field.value.includes(address));
    return isHidden ? {} : { reason: address };
  };
  if (sender !== null && lists.allowedSenders(sender)) {
    return { allowed: { check: "allowed", spam: false, ...naming(sender) }, blocked: [] };
  }
  if (ip !== null && lists.allowedIps(ip))
    return { allowed: { check: "allowed", spam: false, reason: ip }, blocked: [] };

  const blocked: Verdict[] = [];
  const add = (check: string, said: { reason?: string }): void =>
    void blocked.push({ check, spam: true, score: 1, ...said });
  if (settings.words.length > 0 && lists.words(textOf(fields)).length > 0) {
    const named = lists.words(textOf(told)).join(", ");
    add("blocked_word", named === "" ? {} : { reason: named });
  }
  const from = lists.senders === nothing ? undefined : addressesIn(post).find(lists.senders);
  if (from !== undefined) add("blocked_sender", naming(from));
  if (ip !== null && lists.ips(ip)) add("blocked_ip", { reason: ip });
  if (country !== null && lists.countries.has(country)) add("blocked_country", { reason: country });
  return { allowed: null, blocked };
}

const addressesIn = ({ sender, headers, fields }: Listed): string[] =>
  [sender ?? "", ...headers, ...fields.map(({ value }) => value)]
    .filter((text) => text.length <= 320)
    .map((text) => text.trim())
    .filter(isEmail)
    .slice(0, MAX_ADDRESSES);
