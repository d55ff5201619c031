import { collections } from "../../src/model/collections.ts";
import type { Rest } from "./invariants.ts";
import { isUndone } from "./invariants-sends.ts";
import { OTHER_TEAM } from "./system.ts";

/** A mail that is under way while its address is suppressed may still arrive. */
const UNDER_WAY_MS = 5 * 60_000;
/** The place in the host's log with the names of what is gone. */
const LOGS = new Set(["marks", "counters", "audit"]);

/** The promises of the parts of life that a seed may have. */
export function lostParts(rest: Rest): void {
  wrongRows(rest);
  wrongMails(rest);
  notErased(rest);
  wrongTeam(rest);
}

/** The sheet has each submission once. */
function wrongRows({ system, say }: Rest): void {
  const { sheet } = system;
  const seen = new Map<string, number>();
  for (const cells of sheet.rows()) {
    const id = cells[sheet.column("submission_id")] ?? "";
    const before = seen.get(id);
    const at = sheet.takenAt(cells);
    if (before !== undefined && !isUndone(system, before, at)) say(`the sheet has ${id} twice`);
    seen.set(id, at);
  }
}

/** Each mail that came in is stored once, and a returned one stops the next. */
function wrongMails({ system, lived, rows, say }: Rest): void {
  const isThere = (submission: string): boolean => rows("submissions").some(({ id }) => id === submission);
  for (const { n, kind, canary, submission, result, email, at } of lived.brought) {
    if (kind === "mail") {
      const stored = rows("messages").filter(({ text }) => text.includes(canary));
      if (stored.length > 1) say(`mail ${n} is stored ${stored.length} times`);
      if (stored.length === 0 && isThere(submission)) say(`mail ${n} was ${result}, and is not stored`);
      continue;
    }
    // An erasure takes the note of the bounce along, also one whose answer was lost.
    const isErased = lived.acts.erasing.has(email);
    const suppressed = rows("suppressions").some(({ text }) => text.includes(`"${email}"`));
    if (result === "bounced" && !suppressed && !isErased && lived.hosted.deleted === "no")
      say(`${email} bounced, and is not suppressed`);
    const late = system.outside.mails.find((mail) => mail.to === email && mail.at > at + UNDER_WAY_MS);
    if (result === "bounced" && late && lived.hosted.moved === "no")
      say(`${email} bounced, and got a mail ${late.at - at} ms later`);
  }
  for (const [key, id] of lived.acts.answers) {
    const isStored = rows("messages").some((row) => row.id === id);
    if (!isStored && lived.acts.tried.size === 0) say(`${key} is not stored`);
  }
}

/** Nothing of people who were erased is left. */
function notErased({ lived, rows, say }: Rest): void {
  for (const email of lived.acts.erased) {
    const post = lived.posts.find((one) => one.email === email);
    for (const collection of Object.keys(collections)) {
      for (const { id, text } of rows(collection)) {
        const isKept = collection === "suppressions";
        if (post && text.includes(post.canary)) say(`${email} was erased, and ${collection} ${id} has the post`);
        if (text.includes(email) && !isKept) say(`${email} was erased, and ${collection} ${id} has the address`);
      }
    }
  }
}

/** A team that was deleted has left nothing, and a form that moved has left its team. */
function wrongTeam({ lived, watched, rows, say }: Rest): void {
  const { hosted, deletion, forms } = lived;
  if (hosted.deleted === "yes") {
    if (!deletion?.done) say(`the deletion of a team is not done: ${JSON.stringify(deletion)}`);
    for (const kind of ["submissions", "files", "forms"] as const) {
      const [told, counted] = [deletion?.removed[kind], watched.removed.get(kind) ?? 0];
      if (told !== counted) say(`the receipt of a deleted team says ${told} ${kind}, and ${counted} were removed`);
    }
    for (const collection of Object.keys(collections)) {
      if (LOGS.has(collection)) continue;
      for (const { id, text } of rows(collection))
        if (text.includes(OTHER_TEAM) || text.includes(String(forms.other)))
          say(`a team was deleted, and ${collection} ${id} is left of it`);
    }
    const words = lived.posts.filter(({ form }) => form === forms.other).map(({ canary }) => canary);
    for (const collection of LOGS)
      for (const { id, text } of rows(collection))
        if (words.some((word) => text.includes(word))) say(`a team was deleted, and ${collection} ${id} has its words`);
  }
  if (hosted.moved !== "yes") return;
  for (const collection of Object.keys(collections))
    for (const { id, value } of rows(collection))
      if (value.form_id === forms.other && value.team_id === OTHER_TEAM && !LOGS.has(collection))
        say(`a form has moved, and ${collection} ${id} has not`);
}
