import { mergeLeaves } from "../../../lib/merge.ts";
import { sinks } from "../../../model/field-policy.ts";
import type { HostForm } from "../../../model/forms.ts";
import type { MemberRequest } from "../visit.ts";
import { postedText, printOf, rowsKindOf, shownText, valueMeant } from "./kinds.ts";
import { type Leaf, leavesOf, patchAt, type Section, storedOf } from "./leaves.ts";

/** A page of 200 KB of HTML, as a browser encodes it, and many rules. */
export const LIMITS = { bytes: 4 * 1024 * 1024, values: 20_000 };

/** The name of the hidden control that tells how a leaf was when the page was opened. */
export const wasName = (path: string): string => `was.${path}`;

/** A leaf as a page posts it back if nobody touches it. The entries of a record are carried whole, for each is saved by itself. */
export function wasOf(leaf: Leaf, value: unknown): string {
  const text = shownText(leaf.kind, value);
  return rowsKindOf(leaf.kind)?.entries ? text : printOf(text);
}

/** A posted page of settings, compared with the page that was shown and with the form as it is. */
export interface Changes {
  /** The leaves that were changed on the page, and nothing else. */
  readonly patch: object;
  readonly changed: readonly Leaf[];
  /** Leaves that somebody else has changed since the page was opened. */
  readonly conflicts: readonly Leaf[];
  /** The same, and what somebody else has changed too: the form as the page has it. */
  readonly posted: object;
  /** The texts that were posted, by path. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Finds out what a person changed on a page. A leaf that the page did not have is left alone. */
export function changesOf(leaves: readonly Leaf[], form: HostForm, body: URLSearchParams): Changes {
  let patch: object = {};
  let posted: object = {};
  const changed: Leaf[] = [];
  const conflicts: Leaf[] = [];
  const texts = new Map<string, string>();
  for (const leaf of leaves) {
    const was = body.get(wasName(leaf.path));
    if (was === null) continue;
    const text = postedText(leaf.kind, leaf.path, body);
    texts.set(leaf.path, text);
    const found = compared(leaf, { was, text, now: shownText(leaf.kind, storedOf(form, leaf)) });
    if (found === null) continue;
    if (found === "conflict") {
      conflicts.push(leaf);
      if (!rowsKindOf(leaf.kind)) posted = mergeLeaves(posted, patchAt(leaf.path, valueMeant(leaf.kind, text)));
    } else {
      changed.push(leaf);
      patch = mergeLeaves(patch, patchAt(leaf.path, found.value));
    }
  }
  return { patch, posted: mergeLeaves(posted, patch), changed, conflicts, texts };
}

interface Three {
  readonly was: string;
  readonly text: string;
  readonly now: string;
}
type Found = { readonly value: unknown } | "conflict" | null;

function compared({ kind }: Leaf, { was, text, now }: Three): Found {
  const entries = rowsKindOf(kind)?.entries;
  if (entries) return comparedEntries(entries(was), entries(text), entries(now), kind === "policies");
  const print = printOf(text);
  if (print === was || (text === now && kind !== "secret")) return null;
  return printOf(now) === was ? { value: valueMeant(kind, text) } : "conflict";
}

type Entries = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** The entries that were changed on the page: new texts, and null for those that are gone. */
function comparedEntries(was: Entries, posted: Entries, now: Entries, policies: boolean): Found {
  const value = new Map<string, unknown>();
  for (const name of new Set([...was.keys(), ...posted.keys()])) {
    const [before, after, current] = [was.get(name), posted.get(name), now.get(name)];
    if (same(before, after) || same(after, current)) continue;
    if (!same(before, current)) return "conflict";
    const filled = policies ? after : after?.["value"] || undefined;
    if (filled === undefined && !current) continue;
    value.set(name, filled === undefined ? null : policies ? policyPatch(before, after ?? {}) : filled);
  }
  return value.size === 0 ? null : { value: Object.fromEntries(value) };
}

/** The members of a policy that were changed. Those that were left alone follow the new way to store. */
function policyPatch(before: Readonly<Record<string, string>> | undefined, after: Readonly<Record<string, string>>) {
  const members = ["store", ...sinks].filter((member) => after[member] !== "" && after[member] !== before?.[member]);
  return Object.fromEntries(
    (before ? members : ["store", ...members]).map((member) => [member, after[member] || "plain"]),
  );
}

function same(one: Readonly<Record<string, string>> | undefined, other: Readonly<Record<string, string>> | undefined) {
  if (!one || !other) return one === other;
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => one[name] === other[name]);
}

/** The changes of a page of settings that this person may make, to show or to try the form with them. */
export function postedOf(
  { settings, member }: MemberRequest,
  form: HostForm,
  section: Section,
  body: URLSearchParams,
): Record<string, unknown> {
  const leaves = leavesOf(section, settings.hide).filter(({ admin }) => !admin || member.caller.scopes === "all");
  return { ...changesOf(leaves, form, body).posted };
}
