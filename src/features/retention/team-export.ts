import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import { END_OF_TIME } from "../../lib/clock.ts";
import { type Entry, zipOf } from "../../lib/zip.ts";
import { formAsCode } from "../../model/form-as-code.ts";
import type { MessageRecord } from "../../model/messages.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { imagesOf } from "../files/form-images.ts";
import { openFile, readBlob } from "../files/store.ts";
import { toForm, toForms } from "../forms/view.ts";
import { fileNameOf } from "../images/service.ts";
import { toMessages, toThread } from "../messages/shown.ts";
import { openedRows } from "../privacy/shown.ts";
import { ownFiles } from "../submissions/thread-removal.ts";
import { toHostSubmission } from "../submissions/view.ts";
import { getTeam } from "../teams/service.ts";

/** Collections that hold submissions of a form. */
const COLLECTIONS = ["submissions", "trashed_submissions", "pending_submissions"] as const;
/** Submissions that were left by forms that nothing names any more. */
const LEFT = "submissions/of-removed-forms.ndjson";

/**
 * Everything of a team as a zip: `team.json`, `forms/*.json`, `submissions/*.ndjson`, `files/…`, and its whole forms, drafts,
 * messages, suppressed addresses and audit. It is read while it is taken, so it needs the memory of a page. Throws `not_found`.
 */
export async function exportTeam(core: Core, id: string): Promise<ReadableStream<Uint8Array>> {
  await getTeam(core, id);
  return zipOf(entriesOf(core, id), "teams.export");
}

async function* entriesOf(core: Core, team_id: string): AsyncGenerator<Entry> {
  const forms: { readonly id: string; readonly name: string }[] = [];
  yield { name: "team.json", content: jsonOf(await settingsOf(core, team_id)) };
  const known = new Set<string>();
  const used = new Set<string>();
  for await (const rows of core.rows.walk("forms", { index: "team", equals: { team_id } })) {
    for (const row of rows) {
      const form = await toForm(core, row);
      const { key } = form.settings;
      const name = key === null || used.has(key) ? form.id : key;
      // An id may begin with a digit, which no key does.
      const code = key ?? `form-${form.id.toLowerCase()}`;
      used.add(name);
      known.add(row.id);
      forms.push({ id: row.id, name });
      yield {
        name: `forms/${name}.json`,
        content: jsonOf({ forms: { [code]: formAsCode(code, form, form.settings) } }),
      };
      for (const image of await imagesOf(core, row.id)) {
        const bytes = await readBlob(core, image.id);
        if (bytes) yield { name: `files/${image.id}/${plain(fileNameOf(image.value))}`, content: bytes };
      }
    }
  }
  for await (const rows of core.rows.walk("deleted_forms", { index: "team", equals: { team_id } })) {
    for (const { id } of rows) {
      known.add(id);
      forms.push({ id, name: id });
    }
  }
  for (const { id, name } of forms) {
    yield { name: `submissions/${name}.ndjson`, content: lines(core, () => ofForm(core, id)), unlessEmpty: true };
    yield* filesOf(core, ofForm(core, id));
  }
  const others = () => ofOtherForms(core, team_id, known);
  yield { name: LEFT, content: lines(core, others), unlessEmpty: true };
  yield* filesOf(core, others());
  // Files for `apply` leave out the members that only the host can set.
  yield { name: "forms.ndjson", content: formsOf(core, team_id), unlessEmpty: true };
  yield { name: "drafts.ndjson", content: draftsOf(core, team_id), unlessEmpty: true };
  yield { name: "messages.ndjson", content: messagesOf(core, team_id), unlessEmpty: true };
  yield* messageFilesOf(core, team_id);
  for (const collection of ["suppressions", "audit"] as const)
    yield { name: `${collection}.ndjson`, content: rowsOf(core, collection, team_id), unlessEmpty: true };
}

/** The team and its smaller belongings, without a secret. */
async function settingsOf(core: Core, team_id: string): Promise<object> {
  const all = { index: "team", equals: { team_id } } as const;
  const [keys, servers, replies, views] = await Promise.all([
    core.rows.all("keys", all),
    core.rows.all("email_servers", all),
    core.rows.all("saved_replies", all),
    core.rows.all("saved_views", all),
  ]);
  return {
    team: await getTeam(core, team_id),
    keys: keys.map(({ id, value: { hash: _, ...key } }) => ({ id, ...key })),
    email_servers: servers.map(({ id, value: { password: _, ...server } }) => ({ id, ...server })),
    saved_replies: replies.map(({ id, value }) => ({ id, ...value })),
    saved_views: views.map(({ id, value }) => ({ id, ...value })),
  };
}

type Submissions = AsyncGenerator<{ readonly rows: Row<"submissions">[]; readonly pending: boolean }>;

async function* ofForm(core: Core, form_id: string): Submissions {
  for (const collection of COLLECTIONS) {
    for await (const rows of core.rows.walk(collection, { index: "form", equals: { form_id } }))
      yield { rows: rows as Row<"submissions">[], pending: collection === "pending_submissions" };
  }
}

async function* ofOtherForms(core: Core, team_id: string, known: ReadonlySet<string>): Submissions {
  for (const collection of COLLECTIONS) {
    for await (const rows of core.rows.walk(collection, { index: "team", equals: { team_id } })) {
      const left = (rows as Row<"submissions">[]).filter(({ value }) => !known.has(value.form_id));
      if (left.length > 0) yield { rows: left, pending: collection === "pending_submissions" };
    }
  }
}

/** One submission a line, in clear, with its notes. Links are replaced by the paths of the files. */
async function* lines(core: Core, read: () => Submissions): AsyncGenerator<string> {
  for await (const { rows, pending } of read()) {
    const shown = await openedRows(core, rows);
    const [notes, messages] = [await notesOf(core, rows), await threadsOf(core, rows)];
    yield shown
      .map(({ id, value }) => {
        const { values: _, files: __, attachments: ___, ...submission } = toHostSubmission(core, id, value);
        const attachments = value.attachments.map(({ key, file_id, name, mime_type, size }) => ({
          key,
          name,
          mime_type,
          size,
          path: pathOf(file_id, name),
        }));
        const more = {
          ...(pending && { pending }),
          ...(notes.has(id) && { notes: notes.get(id) }),
          ...(messages.has(id) && { messages: messages.get(id) }),
        };
        return `${JSON.stringify({ ...submission, attachments, ...more })}\n`;
      })
      .join("");
  }
}

/** Notes on submissions and acts of people, by submission; a submission that nobody worked on is left out. */
async function notesOf(core: Core, rows: readonly Row<"submissions">[]): Promise<Map<string, object[]>> {
  const found = new Map<string, object[]>();
  for (const { id } of rows.filter(({ value }) => value.work)) {
    const notes = await core.rows.all("activities", { index: "submission", equals: { submission_id: id } });
    if (notes.length === 0) continue;
    found.set(
      id,
      notes.map(({ id, value: { submission_id: _, ...note } }) => ({ id, ...note })),
    );
  }
  return found;
}

/** The messages under submissions, by the submission, with what an import needs so that answers still find it. */
async function threadsOf(core: Core, rows: readonly Row<"submissions">[]): Promise<Map<string, object[]>> {
  const found = new Map<string, object[]>();
  for (const id of await withMessages(
    core,
    rows.map((row) => row.id),
  )) {
    const messages: object[] = [];
    for await (const page of core.rows.walk("messages", { index: "submission", equals: { submission_id: id } })) {
      const shown = await toThread(core, page);
      for (const [at, { value }] of page.entries()) {
        const { message_id, references, automatic } = value;
        const { submission_id: _, ...message } = shown[at] as (typeof shown)[number];
        const kept = { message_id, references, ...(automatic && { automatic }) };
        messages.push({ ...message, attachments: pathsOf(value), ...kept });
      }
    }
    if (messages.length > 0) found.set(id, messages);
  }
  return found;
}

/** Those submissions that have messages, by one statement where the store has it. */
async function withMessages(core: Core, ids: readonly string[]): Promise<readonly string[]> {
  const { haveBefore } = core.storage;
  if (!haveBefore || ids.length === 0) return ids;
  const runs = ids.map((submission_id) => ({ equals: { submission_id }, before: END_OF_TIME }));
  return (await haveBefore("messages", { index: "submission", runs })).map((at) => ids[at] as string);
}

const pathsOf = ({ attachments }: Pick<MessageRecord, "attachments">) =>
  attachments.map(({ file_id, name, mime_type, size }) => ({ name, mime_type, size, path: pathOf(file_id, name) }));

async function* filesOf(core: Core, submissions: Submissions): AsyncGenerator<Entry> {
  for await (const { rows } of submissions) {
    for (const { value } of rows) yield* filesOfOne(core, value);
  }
}

async function* filesOfOne(core: Core, { attachments }: Pick<SubmissionRecord, "attachments">): AsyncGenerator<Entry> {
  for (const { file_id, name } of attachments) {
    const file = await openFile(core, file_id);
    // Deleted since, or with its key.
    if (file) yield { name: pathOf(file_id, name), content: file.body };
  }
}

/** Files that came with messages, or went with one alone. */
async function* messageFilesOf(core: Core, team_id: string): AsyncGenerator<Entry> {
  for await (const rows of core.rows.walk("messages", { index: "team", equals: { team_id } })) {
    for (const { value } of rows) yield* filesOfOne(core, { attachments: ownFiles(value) });
  }
}

async function* formsOf(core: Core, team_id: string): AsyncGenerator<string> {
  for await (const rows of core.rows.walk("forms", { index: "team", equals: { team_id } }))
    yield (await toForms(core, rows)).map((form) => `${JSON.stringify(form)}\n`).join("");
}

async function* draftsOf(core: Core, team_id: string): AsyncGenerator<string> {
  for await (const rows of core.rows.walk("drafts", { index: "team", equals: { team_id } })) {
    // Without its name, which is the key to it.
    yield rows
      .map(({ value: { form_id, fields, expires_at } }) => `${JSON.stringify({ form_id, fields, expires_at })}\n`)
      .join("");
  }
}

async function* messagesOf(core: Core, team_id: string): AsyncGenerator<string> {
  for await (const rows of core.rows.walk("messages", { index: "team", equals: { team_id } })) {
    const shown = await toMessages(core, rows);
    for (const [at, { value }] of rows.entries()) {
      const { attachments: _, ...message } = shown[at] as (typeof shown)[number];
      yield `${JSON.stringify({ ...message, form_id: value.form_id, attachments: pathsOf(value) })}\n`;
    }
  }
}

async function* rowsOf(core: Core, collection: "suppressions" | "audit", team_id: string): AsyncGenerator<string> {
  for await (const rows of core.rows.walk(collection, { index: "team", equals: { team_id } }))
    yield rows.map(({ id, value }) => `${JSON.stringify({ id, ...value })}\n`).join("");
}

const pathOf = (file_id: string, name: string): string => `files/${file_id}/${plain(name)}`;

/** A file's name as it can stand on any disk, and leads to no other folder. */
const plain = (name: string): string =>
  name
    .replace(/[\p{Cc}\\/:*?"<>|]+/gu, "_")
    .replace(/^\.+/, "_")
    .slice(0, 200)
    .toWellFormed() || "file";

const jsonOf = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
