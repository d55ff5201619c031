import type { Core } from "../../core/core.ts";
import { readerOf } from "../../core/fairness/reads.ts";
import { takeScan } from "../../core/fairness/scans.ts";
import type { Row } from "../../core/rows.ts";
import { inSlices } from "../../lib/turn.ts";
import type { Caller } from "../../model/keys.ts";
import { type NamedField, namedFields } from "./named-fields.ts";

const MAX_SUBMISSIONS = 2_000;
/** Names come from visitors, who can make up any number of them. */
const MAX_NAMES = 5_000;
/** Fewer submissions prove nothing. */
const LEAST_READ = 20;
const LEAST_MISSING = 5;
/** A field is missed once chance explains its absence this rarely. */
const CHANCE = 0.001;
/** Of a field that no setting names, only one that nearly all submissions had is missed. */
const USUAL = 0.5;
const MAX_FINDINGS = 50;
/** Submissions between the last one with the old name and the first one with the new name. */
const GAP = 3;

/** A setting that names a field which does not come, or a field that came and went. */
export interface LintFinding {
  readonly kind: "never" | "stopped" | "renamed";
  readonly field: string;
  /** The settings that name it, by their dot paths. */
  readonly places: readonly string[];
  /** The time of the last submission that had it; null if none had. */
  readonly last_seen: string | null;
  /** The field that began where this one ended; null if there is none. */
  readonly instead: string | null;
}

/** What a form's settings say, compared with what came. */
export interface Lint {
  /** The newest submissions that were read, without spam. */
  readonly read: number;
  /** False if too few came to say anything. */
  readonly enough: boolean;
  readonly findings: readonly LintFinding[];
}

/** When a field came, by the number of submissions since: 0 is the newest. */
interface Seen {
  count: number;
  readonly newest: number;
  oldest: number;
  readonly last_seen: string;
}

/** Compares the settings of a form with its newest 2,000 submissions, spam left out. Throws `scan_concurrency`. */
export async function lintForm(core: Core, caller: Caller, form: Row<"forms">): Promise<Lint> {
  const release = takeScan(core, caller, "long");
  try {
    const { read, seen } = await seenFields(core, caller, form.id);
    if (read < LEAST_READ) return { read, enough: false, findings: [] };
    return { read, enough: true, findings: findingsOf(namedFields(form.value), seen).slice(0, MAX_FINDINGS) };
  } finally {
    release();
  }
}

async function seenFields(core: Core, caller: Caller, form_id: string) {
  const seen = new Map<string, Seen>();
  const pause = inSlices();
  let read = 0;
  const newest = core.rows.walk("submissions", {
    index: "form_spam",
    equals: { form_id, spam: false },
    order: "desc",
    most: MAX_SUBMISSIONS,
    through: readerOf(core, caller),
  });
  for await (const rows of newest) {
    for (const { value } of rows) {
      for (const name of new Set([...value.fields, ...value.attachments].map(({ key }) => key))) {
        const known = seen.get(name);
        if (known) {
          known.count++;
          known.oldest = read;
        } else if (seen.size < MAX_NAMES)
          seen.set(name, { count: 1, newest: read, oldest: read, last_seen: value.created_at });
      }
      read++;
      await pause();
    }
  }
  return { read, seen };
}

/** Fields that settings name come first, the most often named ones before the others. */
function findingsOf(named: readonly NamedField[], seen: ReadonlyMap<string, Seen>): LintFinding[] {
  const places = new Map<string, string[]>();
  for (const { field, place } of named) {
    const list = places.get(field) ?? [];
    if (!list.includes(place)) list.push(place);
    places.set(field, list);
  }
  const found: LintFinding[] = [];
  for (const [field, at] of places) {
    if (!seen.has(field)) found.push({ kind: "never", field, places: at, last_seen: null, instead: null });
  }
  const gone = [...seen].filter(([, one]) => isGone(one));
  for (const [field, one] of gone) {
    const at = places.get(field) ?? [];
    const share = one.count / (one.oldest - one.newest + 1);
    if (at.length === 0 && (share < USUAL || one.count < LEAST_READ)) continue;
    const instead = successorOf(field, one, seen, gone.length);
    const kind = instead === null ? "stopped" : "renamed";
    found.push({ kind, field, places: at, last_seen: one.last_seen, instead });
  }
  return found.sort((a, b) => b.places.length - a.places.length);
}

/** True if a field stopped coming and chance does not explain it. */
function isGone({ count, newest: missing, oldest }: Seen): boolean {
  const of = oldest - missing + 1;
  // One more without it than were seen: after ten with it, the eleventh is no certainty.
  const share = count / (of + 1);
  return missing >= LEAST_MISSING && (1 - share) ** missing < CHANCE;
}

/** The field that began where another ended: one spelt alike, or the only one that did. */
function successorOf(
  field: string,
  { newest: ended }: Seen,
  seen: ReadonlyMap<string, Seen>,
  others: number,
): string | null {
  const began = [...seen].filter(
    ([, one]) => one.oldest < ended && ended - one.oldest <= GAP && one.count >= LEAST_MISSING,
  );
  const alike = began.find(([name]) => bare(name) === bare(field));
  if (alike) return alike[0];
  const [only] = began;
  return only && began.length === 1 && others === 1 ? only[0] : null;
}

const bare = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
