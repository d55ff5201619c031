import { tagsOf } from "./dkim.ts";
import type { Dns } from "./dns.ts";
import type { Findings } from "./finding.ts";

/** The DMARC policy for mails from a domain. */
export interface Policy {
  /** The domain of the record: the sender's own, or one above it. */
  readonly domain: string;
  readonly policy: string;
  /** True if the envelope's domain has to be exactly that of From. */
  readonly strictSpf: boolean;
}

/** The DMARC record of a domain, or of the next one above it. Null if there is none that receivers can use. */
export async function checkDmarc(from: string, dns: Dns, find: Findings): Promise<Policy | null> {
  for (let domain = from; domain.includes("."); domain = domain.slice(domain.indexOf(".") + 1)) {
    const records = (await dns.texts(`_dmarc.${domain}`)).filter((text) => /^v=DMARC1\s*(;|$)/i.test(text));
    const [record, other] = records;
    if (record === undefined) continue;
    if (other !== undefined) {
      find.failed(
        `_dmarc.${domain} has ${records.length} DMARC records, so receivers ignore them all.`,
        "Keep one of them.",
      );
      return null;
    }
    const { p = "", sp, aspf } = tagsOf(record);
    const policy = (domain === from ? p : (sp ?? p)).toLowerCase();
    if (!["none", "quarantine", "reject"].includes(policy)) {
      find.failed(`The DMARC record of ${domain} has no valid policy.`, "Write it as: v=DMARC1; p=none");
      return null;
    }
    find.ok(`Mail from ${from} is covered by the policy ${policy} of ${domain}.`);
    return { domain, policy, strictSpf: aspf?.toLowerCase() === "s" };
  }
  find.warning(
    `${from} has no DMARC record: large mailbox providers trust its mail less.`,
    `Add a TXT record to _dmarc.${from}: "v=DMARC1; p=none".`,
  );
  return null;
}

const within = (domain: string, other: string): boolean => domain === other || domain.endsWith(`.${other}`);

/** True if DMARC accepts an SPF pass of the envelope's domain for mails from this domain. */
export const aligned = (from: string, envelope: string, policy: Policy | null): boolean => {
  if (policy?.strictSpf) return from === envelope;
  if (within(from, envelope) || within(envelope, from)) return true;
  // Siblings below the domain of the policy, such as forms.example.com and mail.example.com.
  return policy !== null && within(from, policy.domain) && within(envelope, policy.domain);
};
