import type { Core } from "../../core/core.ts";
import { put, remove } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { ApiError, wrongParameter } from "../../errors.ts";
import { domainOf, parseMailbox, sameAddressKey } from "../../lib/email.ts";
import { base62 } from "../../lib/id.ts";
import { parseInput } from "../../lib/input.ts";
import { block, type Leaf, text } from "../../lib/leaves.ts";
import type { Dns } from "../../lib/sender-dns/dns.ts";
import type { Findings } from "../../lib/sender-dns/finding.ts";
import { type DomainRecord, type DomainVerification, VerifyDomainOptions } from "../../model/domain-verification.ts";
import type { MarkId } from "../../model/marks.ts";
import { SenderDomain, type SenderDomainRecord } from "../../model/teams.ts";

const MAX_DOMAINS = 20;
/** Selectors of widely used mail services, tried where the host names none: DNS can't list them. */
const COMMON_SELECTORS = ["default", "mail", "dkim", "s1", "selector1", "google", "k1", "resend", "pm", "mailo"];

/** A verified domain belongs to one team. The row is written with the team's, so two teams can't have it at the same time. */
interface HolderRow {
  team_id: string;
  /** It never expires. */
  expires_at: null;
}
const never: Leaf<null> = { read: () => null };
const holderLeaf = block<HolderRow>({ team_id: text(), expires_at: never });
const holderRow = (domain: string): MarkId => `sender-domain:${domain}`;

/** The name of the record that proves who controls a domain. */
const proofName = (domain: string): string => `_sender-proof.${domain}`;

/**
 * The domains of a team after a change. Those that it had keep their state. Throws `invalid_parameter` for one that another
 * team has verified, and for `verified: true` where nothing was verified.
 */
export async function changedDomains(
  core: Core,
  team_id: string | null,
  had: readonly SenderDomainRecord[],
  wanted: readonly (string | { domain: string; verified: boolean })[],
): Promise<SenderDomainRecord[]> {
  const found = new Map<string, SenderDomainRecord>();
  for (const [at, one] of wanted.entries()) {
    const { domain, verified } = typeof one === "string" ? { domain: one, verified: false } : one;
    const known = had.find((entry) => entry.domain === domain);
    if (verified && !known?.verified)
      throw wrongParameter(`sender_domains.${at}.verified`, "is set by teams.verifyDomain; leave it out");
    if (!known) await assertFree(core, team_id, domain, `sender_domains.${at}`);
    found.set(domain, known ?? unverified(domain));
  }
  return [...found.values()];
}

/** The writes that release the domains which a team no longer has. */
export const released = (had: readonly SenderDomainRecord[], has: readonly SenderDomainRecord[]): Write[] =>
  had
    .filter(({ domain, verified }) => verified && !has.some((one) => one.verified && one.domain === domain))
    .map(({ domain }) => remove("marks", holderRow(domain)));

/** Throws `invalid_parameter` for a sender that the team may not use. */
export function assertFrom(core: Core, from: string | null | undefined, domains: readonly SenderDomainRecord[]): void {
  const address = from ? parseMailbox(from)?.address : undefined;
  if (address === undefined || sameAddressKey(address) === sameAddressKey(core.options.from.address)) return;
  if (domains.some(({ domain, verified }) => verified && domain === domainOf(address))) return;
  throw wrongParameter("brand.from", "must be an address in one of the team's verified `sender_domains`");
}

const unverified = (domain: string): SenderDomainRecord => ({
  domain,
  verified: false,
  token: base62(32),
});

/** True if this team has the domain already. Throws `invalid_parameter` if another one has. */
async function assertFree(core: Core, team_id: string | null, domain: string, param: string): Promise<boolean> {
  const holder = (await core.rows.mark(holderRow(domain), holderLeaf))?.value.team_id;
  if (holder !== undefined && holder !== team_id) throw wrongParameter(param, `is a domain of another team: ${domain}`);
  return holder !== undefined;
}

/**
 * Looks for the records of a team's domain in DNS, and keeps the result: with all of them the team's forms may send from the
 * domain, and without one no longer. A domain that the team does not list yet is added. Throws `not_found`,
 * `invalid_parameter`, and `unavailable` if DNS does not respond, which changes nothing.
 */
export async function verifyDomain(
  core: Core,
  id: string,
  name: string,
  input: VerifyDomainOptions = {},
): Promise<DomainVerification> {
  const { selectors, dns: server } = parseInput(VerifyDomainOptions, input);
  const parsed = SenderDomain.safeParse(name);
  if (!parsed.success) throw wrongParameter("domain", "must be a domain such as example.com");
  const domain = parsed.data;
  const missing = (): ApiError => new ApiError("not_found", { message: `There is no team "${id}".` });
  // Listed first, so that its token is kept, and is the same one at the next call.
  const { sender_domains } = await core.rows.update(
    "teams",
    id,
    async (team) => {
      await assertFree(core, id, domain, "domain");
      if (team.sender_domains.some((one) => one.domain === domain)) return null;
      if (team.sender_domains.length >= MAX_DOMAINS)
        throw wrongParameter("domain", `is one too many: a team can have ${MAX_DOMAINS} domains`);
      return { ...team, sender_domains: [...team.sender_domains, unverified(domain)] };
    },
    missing,
  );
  const token = sender_domains.find((one) => one.domain === domain)?.token ?? "";
  const records = await recordsOf(domain, token, selectors, await dnsAt(server));
  const verified = records.every(({ found }) => found);
  let writes: Write[] = [];
  await core.rows.update(
    "teams",
    id,
    async (team) => {
      const held = await assertFree(core, id, domain, "domain");
      // Removed, or listed anew with another token, in the meantime.
      const isSame = team.sender_domains.some((one) => one.domain === domain && one.token === token);
      const has = verified && isSame;
      const holder: HolderRow = { team_id: id, expires_at: null };
      writes = has && !held ? [put("marks", holderRow(domain), holder, null)] : [];
      if (!has && held && isSame) writes = [remove("marks", holderRow(domain))];
      const changed = team.sender_domains.map((one) => (one.domain === domain ? { ...one, verified: has } : one));
      return { ...team, sender_domains: changed };
    },
    missing,
    () => writes,
  );
  return { verified, records };
}

export async function dnsAt(server: string | undefined): Promise<Dns> {
  const { dnsOf } = await import("../../lib/sender-dns/dns.ts");
  try {
    return dnsOf(server);
  } catch {
    throw wrongParameter("dns", "must be the IP address of a name server, such as 1.1.1.1");
  }
}

/** The records that a domain needs, and if DNS has them. Throws `unavailable`. */
export async function recordsOf(
  domain: string,
  token: string,
  selectors: readonly string[] | undefined,
  dns: Dns,
): Promise<DomainRecord[]> {
  const [{ checkSpf }, { checkDkim }, { checkDmarc }] = await Promise.all([
    import("../../lib/sender-dns/spf.ts"),
    import("../../lib/sender-dns/dkim.ts"),
    import("../../lib/sender-dns/dmarc.ts"),
  ]);
  const spf = failures();
  const record = (name: string, value: string, found: boolean): DomainRecord => ({ type: "TXT", name, value, found });
  const dkimValue = "v=DKIM1; k=rsa; p=<public key of your mail provider>";
  try {
    const proof = token !== "" && (await dns.texts(proofName(domain))).some((one) => one.trim() === token);
    await checkSpf(domain, dns, spf.find);
    const keys = await Promise.all(
      (selectors ?? COMMON_SELECTORS).map(async (selector) => ({
        name: `${selector}._domainkey.${domain}`,
        found: await checkDkim(domain, selector, dns, failures().find),
      })),
    );
    const policy = await checkDmarc(domain, dns, failures().find);
    const any = keys.find(({ found }) => found) ?? { name: `<selector>._domainkey.${domain}`, found: false };
    return [
      record(proofName(domain), token, proof),
      record(domain, "v=spf1 include:<your mail provider> ~all", spf.count() === 0),
      ...(selectors ? keys : [any]).map(({ name, found }) => record(name, dkimValue, found)),
      record(`_dmarc.${domain}`, "v=DMARC1; p=none", policy !== null),
    ];
  } catch (cause) {
    throw new ApiError("unavailable", {
      message: `DNS did not respond about ${domain}; try again later.`,
      headers: { "retry-after": "30" },
      cause,
    });
  }
}

/** Counts what fails. */
function failures(): { readonly find: Findings; count(): number } {
  let count = 0;
  const none = (): void => {};
  const failed = (): void => void count++;
  return { find: { ok: none, warning: none, skipped: none, failed }, count: () => count };
}
