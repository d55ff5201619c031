import type { Core } from "../../core/core.ts";
import { readerOf } from "../../core/fairness/reads.ts";
import { put, type Row, remove, retrying } from "../../core/rows.ts";
import type { Stored, Write } from "../../drivers/storage/types.ts";
import { wrongParameter } from "../../errors.ts";
import type { CollectionName } from "../../model/collections.ts";
import type { HostDataSubject } from "../../model/data-subjects.ts";
import { addresseeOf, allRecipients, type JobRecord } from "../../model/jobs.ts";
import type { Caller } from "../../model/keys.ts";
import { listedTeams } from "../forms/access.ts";
import { allTeams, loadTeam } from "../teams/service.ts";

/** A person, in the data of one team where it is named. */
export type Subject = Pick<HostDataSubject, "email" | "team_id">;

/** The teams whose data a caller may access, or the named one of them. */
export const reachedTeams = async (core: Core, caller: Caller, team_id?: string | null): Promise<readonly string[]> =>
  (await listedTeams(core, caller, team_id ?? undefined)) ?? (await allTeams(core)).map(({ id }) => id);

/**
 * The person as the host may ask for: with more than one team, the host has to say which one is meant, or that all are. Throws
 * `invalid_parameter` where it does not, and for a team that does not exist.
 */
export async function inTeam(core: Core, caller: Caller, subject: Subject): Promise<Subject> {
  const { team_id } = subject;
  if (caller.team_ids || team_id === null) return subject;
  if (team_id === undefined) {
    if ((await allTeams(core)).length > 1)
      throw wrongParameter("team_id", "is required with more than one team: name the team, or null for all");
  } else if (!(await loadTeam(core, team_id))) throw wrongParameter("team_id", `there is no team "${team_id}"`);
  return subject;
}

/**
 * Removes a person from deliveries without a stored submission. Returns their number. If the submission is kept, because it is
 * another person's, its deliveries stay without the address; a mail that is not sent yet keeps its recipient.
 */
export async function eraseFromDeliveries(
  core: Core,
  caller: Caller,
  mentions: (text: string | null | undefined) => boolean,
  team_id?: string | null,
): Promise<number> {
  const through = readerOf(core, caller);
  const teams = new Set(await reachedTeams(core, caller, team_id));
  const runs = caller.form_ids
    ? caller.form_ids.map((form_id) => ({ index: "form", equals: { form_id } }))
    : [{ index: "all", equals: {} }];
  let erased = 0;
  for (const run of runs) {
    for await (const rows of core.rows.walk("jobs", { ...run, through })) {
      const theirs = rows.filter(
        ({ value }) => teams.has(value.team_id) && (named(value, mentions) || mentions(value.message)),
      );
      if (theirs.length === 0) continue;
      const ids = theirs.map(({ value }) => value.submission_id).filter((id) => id !== "");
      const kept = await storedIn(core, ["submissions", "transient_submissions", "pending_submissions"], ids);
      for (const row of theirs) {
        if (await eraseOne(core, row, kept.has(row.value.submission_id), mentions)) erased++;
      }
    }
  }
  return erased;
}

/** Erases a person from one delivery. Returns false where nothing is to be erased now. */
async function eraseOne(
  core: Core,
  found: Row<"jobs">,
  isKept: boolean,
  mentions: (text: string | null | undefined) => boolean,
): Promise<boolean> {
  let row: Row<"jobs"> | null = found;
  return retrying(async () => {
    const write = row && erasure(row, isKept, mentions);
    if (!write) return false;
    await core.commitNow([write]).catch(async (error: unknown) => {
      // A worker may have settled it in the meantime.
      row = await core.rows.get("jobs", found.id);
      throw error;
    });
    return true;
  });
}

/** Those of some submissions that are in one of the collections, by one statement for each. */
export async function storedIn(
  core: Core,
  places: readonly CollectionName[],
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const wanted = [...new Set(ids)];
  const found = await Promise.all(places.map((name) => core.storage.get(name, wanted)));
  return new Set(found.flatMap((rows) => [...rows.keys()]));
}

const named = (job: JobRecord, mentions: (text: string) => boolean): boolean =>
  mentions(addresseeOf(job)) || allRecipients(job).some((address) => mentions(address));

/** Null where nothing is to be erased now. */
function erasure(
  { id, value, version }: Stored<JobRecord>,
  isKept: boolean,
  mentions: (text: string | null | undefined) => boolean,
): Write | null {
  const pending = value.due_at !== null;
  // A notice to an owner has no submission, and goes out as any other mail.
  const alone = value.submission_id === "" ? !pending : !isKept;
  if (alone) return remove("jobs", id);
  const { message, ...rest } = value;
  const job: JobRecord = { ...rest, ...(message !== undefined && !mentions(message) && { message }) };
  const isNamed = !pending && named(value, mentions);
  if (isNamed && mentions(addresseeOf(value))) Object.assign(job, { to: "", target: "" });
  if (isNamed && value.copies) {
    const { to, cc, bcc } = value.copies;
    const others = (list: readonly string[]): string[] => list.filter((address) => !mentions(address));
    job.copies = { to: others(to), cc: others(cc), bcc: others(bcc) };
  }
  if (!isNamed && !mentions(message)) return null;
  return put("jobs", id, job, version);
}
