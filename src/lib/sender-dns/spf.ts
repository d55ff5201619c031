import type { Dns } from "./dns.ts";
import type { Findings } from "./finding.ts";

/** RFC 7208, 4.6.4: with more, receivers give up with an error. */
const MAX_LOOKUPS = 10;
const RECORD = /^v=spf1( |$)/i;

/** The SPF record of a domain, and the DNS look-ups that it takes. */
export async function checkSpf(domain: string, dns: Dns, find: Findings): Promise<void> {
  const records = await recordsOf(domain, dns);
  const [record, other] = records;
  if (record === undefined) {
    return find.failed(
      `${domain} has no SPF record: receivers can't tell that your mail server may send for it.`,
      `Add a TXT record to ${domain}, such as "v=spf1 include:<your mail provider> ~all".`,
    );
  }
  if (other !== undefined) {
    return find.failed(
      `${domain} has ${records.length} SPF records, which receivers treat as an error.`,
      `Merge them into one TXT record that begins with v=spf1.`,
    );
  }
  const count = { lookups: 0 };
  const broken = await walk(record, dns, count);
  if (broken !== null) {
    return find.failed(
      `The SPF record of ${domain} includes ${broken}, which has no SPF record: receivers treat it as an error.`,
      `Remove include:${broken}, or correct it.`,
    );
  }
  if (count.lookups > MAX_LOOKUPS) {
    return find.failed(
      `The SPF record of ${domain} needs more than ${MAX_LOOKUPS} DNS lookups: receivers stop with an error.`,
      "Remove services that no longer send for you, or replace include: by ip4: and ip6:.",
    );
  }
  const all = /(?:^| )([+?~-]?)all(?: |$)/i.exec(record)?.[1];
  if (all === "" || all === "+") {
    return find.failed(
      `The SPF record of ${domain} ends with +all: it lets every server in the world send for you.`,
      "Replace +all with ~all.",
    );
  }
  if (all === "?" || (all === undefined && !/ redirect=/i.test(record))) {
    return find.warning(`The SPF record of ${domain} says nothing about other servers.`, "End it with ~all.");
  }
  find.ok(`${domain} has one SPF record, with ${count.lookups} of ${MAX_LOOKUPS} lookups.`);
}

const recordsOf = async (domain: string, dns: Dns): Promise<string[]> =>
  (await dns.texts(domain)).filter((text) => RECORD.test(text));

/** Counts look-ups and follows includes; ends once there are too many. Returns an include that has no record, or null. */
async function walk(record: string, dns: Dns, count: { lookups: number }): Promise<string | null> {
  for (const term of record.split(/ +/).slice(1)) {
    const [known, name, target = ""] =
      /^[+?~-]?(?:(include:|redirect=|exists:)(\S+)|(?:a|mx|ptr)(?:[:/]\S*)?)$/i.exec(term) ?? [];
    if (known === undefined) continue;
    if (++count.lookups > MAX_LOOKUPS) return null;
    // A macro depends on the mail, so its name is not known here.
    if (name === undefined || name.toLowerCase() === "exists:" || target.includes("%")) continue;
    const [inner] = await recordsOf(target, dns);
    if (inner === undefined) return target;
    const broken = await walk(inner, dns, count);
    if (broken !== null) return broken;
  }
  return null;
}
