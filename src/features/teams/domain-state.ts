import type { Core } from "../../core/core.ts";
import { perBackend } from "../../core/per-backend.ts";
import { ApiError } from "../../errors.ts";
import { inTime, LateError } from "../../lib/in-time.ts";
import { parseInput } from "../../lib/input.ts";
import { createLru } from "../../lib/lru.ts";
import { type DomainRecord, SenderDomainOptions, type SenderDomainState } from "../../model/domain-verification.ts";
import type { Caller } from "../../model/keys.ts";
import { SenderDomain } from "../../model/teams.ts";
import { onlyTeam } from "./access.ts";
import { dnsAt, recordsOf } from "./sender-domains.ts";
import { loadTeam } from "./service.ts";

/** The answers of DNS are shared this long, also that it did not answer. */
const FRESH_MS = 30_000;
/** SPF alone may ask ten times, and a name server may be slow each time. */
const MOST_MS = 20_000;
const MAX_KEPT = 1_000;

interface Kept {
  readonly records: Promise<DomainRecord[]>;
  readonly until: number;
}

const keptOf = perBackend(() => createLru<Kept>(MAX_KEPT));

/**
 * The records that a domain of a team needs, with what DNS has now; nothing is changed. Throws `not_found` for a domain that
 * the team does not list, `invalid_parameter`, and `unavailable` where DNS does not respond.
 */
export async function domainState(
  core: Core,
  caller: Caller,
  name: string,
  options: SenderDomainOptions = {},
): Promise<SenderDomainState> {
  const { selectors, dns, team_id } = parseInput(SenderDomainOptions, options);
  const team = await loadTeam(core, await onlyTeam(core, caller, team_id));
  const domain = SenderDomain.safeParse(name).data;
  const listed = team?.value.sender_domains.find((one) => one.domain === domain);
  if (domain === undefined || !listed)
    throw new ApiError("not_found", { message: "The team has no sender domain of this name." });
  const resolver = await dnsAt(dns);
  const kept = keptOf(core);
  const key = JSON.stringify([domain, listed.token, selectors ?? null, dns ?? null]);
  const now = core.clock.now();
  const known = kept.get(key);
  const isFresh = known !== undefined && now < known.until;
  const records = isFresh ? known.records : within(domain, () => recordsOf(domain, listed.token, selectors, resolver));
  if (!isFresh) kept.set(key, { records, until: now + FRESH_MS });
  return { domain, verified: listed.verified, records: await records };
}

async function within(domain: string, work: () => Promise<DomainRecord[]>): Promise<DomainRecord[]> {
  try {
    return await inTime(MOST_MS, work);
  } catch (cause) {
    if (!(cause instanceof LateError)) throw cause;
    throw new ApiError("unavailable", {
      message: `DNS took more than ${MOST_MS / 1_000} seconds for ${domain}; try again later.`,
      headers: { "retry-after": "30" },
      cause,
    });
  }
}
