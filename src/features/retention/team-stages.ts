import type { Core } from "../../core/core.ts";
import { pagesOf } from "../../core/pages.ts";
import { type Row, remove } from "../../core/rows.ts";
import type { Stored, Write } from "../../drivers/storage/types.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { RemovedKind } from "../../model/team-deletion.ts";
import { imagesOf } from "../files/form-images.ts";
import { withoutCounters } from "../forms/counters.ts";
import { nameWrites } from "../forms/names.ts";
import { placesOf } from "../forms/places.ts";
import { dataKeyRemoval } from "../privacy/data-keys.ts";
import { follow } from "../submissions/move-form.ts";
import { notesRemoval, removeFiles } from "../submissions/removal.ts";
import { runWrites } from "../submissions/runs.ts";
import { messageRemoval } from "../submissions/thread-removal.ts";
import type { ofTeams } from "../teams/delete.ts";
import { formNote, tellHost, wakeHost } from "../webhooks/host-events.ts";
import { storedIn } from "./deliveries.ts";
import { BATCH } from "./run.ts";
import type { Deletion } from "./team-step.ts";

/** Submissions of one commit: a longer one would hold up posts to a store with one writer. */
const TOGETHER = 50;
/** Submissions whose files and notes are removed at the same time. */
const SIDE_BY_SIDE = 8;

/** One pass through every collection that has a run for the team. */
export async function emptyTeam(deletion: Deletion): Promise<void> {
  await removeEach(deletion, "keys", "keys");
  // Before the submissions, so that none of these has to look for its own.
  await removeMessages(deletion);
  await removeSubmissions(deletion, "submissions", "submissions");
  await removeSubmissions(deletion, "trashed_submissions", "submissions");
  await removeSubmissions(deletion, "pending_submissions", "pending");
  await removeForms(deletion);
  await removeEach(deletion, "drafts", "drafts");
  await removeEach(deletion, "email_servers", "email_servers");
  await removeEach(deletion, "suppressions", "suppressions");
  await removeEach(deletion, "saved_replies", "saved");
  await removeEach(deletion, "saved_views", "saved");
  await removeEach(deletion, "audit", "audit");
  await removeEach(deletion, "abuse_reports", null);
  await removeEach(deletion, "deleted_forms", null);
}

/** Rows with nothing beside them. Read raw, so that one that can't be read goes as well. */
async function removeEach(
  { core, run, team_id, step }: Deletion,
  collection: (typeof ofTeams)[number],
  kind: RemovedKind | null,
): Promise<void> {
  for (;;) {
    await run.alive();
    const query = { index: "team", equals: { team_id }, order: "asc", limit: BATCH } as const;
    const rows = await core.storage.page(collection, query);
    if (rows.length === 0) return;
    await step(
      rows.map(({ id }) => remove(collection, id)),
      kind === null ? {} : { [kind]: rows.length },
    );
  }
}

const contents = ["submissions", "trashed_submissions", "pending_submissions"] as const;
type Content = (typeof contents)[number];

/** Submissions with their files, notes and deliveries. Bytes go first, so none is left without a row. */
async function removeSubmissions(deletion: Deletion, collection: Content, kind: RemovedKind): Promise<void> {
  const { core, run, team_id, step } = deletion;
  const spoiled: Stored[] = [];
  const emptied = new Set<string>();
  const query = { index: "team", equals: { team_id }, limit: BATCH } as const;
  for await (const rows of core.rows.walk(collection, { ...query, unreadable: (row) => void spoiled.push(row) })) {
    await run.alive();
    const own = await withoutMoved(deletion, rows);
    for (const { value } of own) {
      if (emptied.has(value.form_id)) continue;
      emptied.add(value.form_id);
      // Deliveries are read by their form: a statement for each submission would be most of the work.
      await removeDeliveries(deletion, value.form_id, (job) => (job.value["team_id"] ?? team_id) === team_id);
    }
    for (let at = 0; at < own.length; at += TOGETHER) {
      const some = own.slice(at, at + TOGETHER);
      const forms = new Set(some.map(({ value }) => value.form_id));
      const writes = [...forms].map(dataKeyRemoval);
      for (let from = 0; from < some.length; from += SIDE_BY_SIDE) {
        const beside = some
          .slice(from, from + SIDE_BY_SIDE)
          .map(async ({ id, value, version }) => [
            remove(collection, id, version),
            ...(await removeFiles(core, value)),
            ...(await notesRemoval(core, id, value)),
            ...runWrites(id, value, null),
          ]);
        writes.push(...(await Promise.all(beside)).flat());
      }
      const files = some.reduce((sum, { value }) => sum + value.attachments.length, 0);
      await step(writes, { [kind]: some.length, files }, { forms });
    }
  }
  for (const { id } of spoiled) {
    const rows = await core.storage.page("files", {
      index: "submission",
      equals: { submission_id: id },
      order: "asc",
      limit: BATCH,
    });
    for (const file of rows) await core.blob.remove(file.id);
    const writes = rows.map((file) => remove("files", file.id));
    await step([remove(collection, id), ...writes], { [kind]: 1, files: rows.length });
  }
}

/** Rows of a form that has moved to another team follow it, such as a post that was under way; the others are the team's own. */
export async function withoutMoved<R extends { readonly value: { readonly form_id: string } }>(
  { core, run, team_id }: Pick<Deletion, "core" | "run" | "team_id">,
  rows: readonly R[],
): Promise<R[]> {
  const forms = await core.rows.many("forms", [...new Set(rows.map(({ value }) => value.form_id))]);
  const moved = [...forms.values()].filter(({ value }) => value.team_id !== team_id);
  for (const { id, value } of moved) await follow(core, id, value.team_id, run.alive);
  return rows.filter(({ value }) => !moved.some(({ id }) => id === value.form_id));
}

async function removeForms(deletion: Deletion): Promise<void> {
  const { core, run, team_id, step } = deletion;
  for await (const rows of core.rows.walk("forms", { index: "team", equals: { team_id }, limit: BATCH })) {
    for (const row of rows) {
      await run.alive();
      await removeDeliveries(deletion, row.id);
      const images = await imagesOf(core, row.id);
      for (const { id } of images) await core.blob.remove(id);
      const done = await step(
        [
          remove("forms", row.id, row.version),
          ...(await besideForm(core, row, images)),
          ...tellHost(core, "form.deleted", formNote(row.id, row.value)),
        ],
        {
          forms: 1,
          images: images.length,
        },
        { forms: [row.id] },
      );
      if (!done) continue;
      core.events.emit("form.deleted", { id: row.id });
      wakeHost(core);
    }
  }
}

/** The writes that remove what a form's row does not have itself. */
async function besideForm(core: Core, { id, value }: Row<"forms">, images: readonly Row<"images">[]): Promise<Write[]> {
  return [
    ...images.map((image) => remove("images", image.id)),
    ...(await nameWrites(core, id, value, null, "")),
    ...withoutCounters(id, value.created_at, core.clock.now()),
    ...statesOf(value),
    remove("marks", placesOf(id)),
    remove("marks", `images:${id}`),
    dataKeyRemoval(id),
  ];
}

const statesOf = ({ webhooks }: FormRecord): Write[] => webhooks.map(({ id }) => remove("webhook_states", id));

/** The deliveries of a form, or those of them that are the team's own. Read raw, as above. */
async function removeDeliveries(
  { core, run, step }: Deletion,
  form_id: string,
  isOwn: (job: Stored) => boolean = () => true,
): Promise<void> {
  const query = { index: "form", equals: { form_id }, order: "asc" } as const;
  for await (const rows of pagesOf(core.storage, "jobs", query, undefined, BATCH)) {
    await run.alive();
    const own = rows.filter(isOwn);
    if (own.length === 0) continue;
    await step(
      own.map(({ id }) => remove("jobs", id)),
      { deliveries: own.length },
    );
  }
}

/** Messages with the files that came with them. The receipt counts those that were left without a submission. */
async function removeMessages(deletion: Deletion): Promise<void> {
  const { core, run, team_id, step } = deletion;
  for await (const rows of core.rows.walk("messages", { index: "team", equals: { team_id }, limit: BATCH })) {
    await run.alive();
    const own = await withoutMoved(deletion, rows);
    if (own.length === 0) continue;
    const under = await storedIn(
      core,
      contents,
      own.map(({ value }) => value.submission_id),
    );
    const writes: Write[] = [];
    for (const row of own) writes.push(...(await messageRemoval(core, row)));
    await step(writes, { messages: own.filter(({ value }) => !under.has(value.submission_id)).length });
  }
}
