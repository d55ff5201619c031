import type { Core } from "../../core/core.ts";
import { pagesOf } from "../../core/pages.ts";
import { type Row, remove } from "../../core/rows.ts";
import type { Stored, Write } from "../../drivers/storage/types.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { RemovedKind } from "../../model/team-deletion.ts";
import { imagesOf } from "../files/form-images.ts";
import { abandoned } from "../files/store.ts";
import { withoutCounters } from "../forms/counters.ts";
import { nameWrites } from "../forms/names.ts";
import { placesOf } from "../forms/places.ts";
import { dataKeyRemoval } from "../privacy/data-keys.ts";
import { follow } from "../submissions/move-form.ts";
import { notesRemoval, removeFiles } from "../submissions/removal.ts";
import { runWrites } from "../submissions/runs.ts";
import { messageRemoval, threadRemoval } from "../submissions/thread-removal.ts";
import type { ofTeams } from "../teams/delete.ts";
import { formNote, tellHost, wakeHost } from "../webhooks/host-events.ts";
import { BATCH } from "./run.ts";
import type { Deletion } from "./team-step.ts";

/** Submissions of one commit. */
const TOGETHER = 20;

/** One pass through every collection that has a run for the team. */
export async function emptyTeam(deletion: Deletion): Promise<void> {
  await removeEach(deletion, "keys", "keys");
  await removeSubmissions(deletion, "submissions", "submissions");
  await removeSubmissions(deletion, "trashed_submissions", "submissions");
  await removeSubmissions(deletion, "pending_submissions", "pending");
  await removeForms(deletion);
  await removeMessages(deletion);
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

type Content = "submissions" | "trashed_submissions" | "pending_submissions";

/** Submissions with their files, notes, messages and deliveries. Bytes go first, so none is left without a row. */
async function removeSubmissions(deletion: Deletion, collection: Content, kind: RemovedKind): Promise<void> {
  const { core, run, team_id, step } = deletion;
  const spoiled: Stored[] = [];
  const query = { index: "team", equals: { team_id }, limit: BATCH } as const;
  for await (const rows of core.rows.walk(collection, { ...query, unreadable: (row) => void spoiled.push(row) })) {
    await run.alive();
    const own = await withoutMoved(deletion, rows);
    for (let at = 0; at < own.length; at += TOGETHER) {
      const some = own.slice(at, at + TOGETHER);
      const writes: Write[] = [];
      const counts = { [kind]: some.length, files: 0, deliveries: 0 };
      for (const { id, value, version } of some) {
        const deliveries = await deliveriesOf(core, id);
        counts.files += value.attachments.length;
        counts.deliveries += deliveries.length;
        writes.push(remove(collection, id, version), ...deliveries, dataKeyRemoval(value.form_id));
        writes.push(...(await removeFiles(core, value)), ...(await notesRemoval(core, id, value)));
        writes.push(...(await threadRemoval(core, id)), ...runWrites(id, value, null));
      }
      await step(writes, counts, { forms: some.map(({ value }) => value.form_id) });
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
async function withoutMoved<R extends { readonly value: { readonly form_id: string } }>(
  { core, run, team_id }: Pick<Deletion, "core" | "run" | "team_id">,
  rows: readonly R[],
): Promise<R[]> {
  const forms = await core.rows.many("forms", [...new Set(rows.map(({ value }) => value.form_id))]);
  const moved = [...forms.values()].filter(({ value }) => value.team_id !== team_id);
  for (const { id, value } of moved) await follow(core, id, value.team_id, run.alive);
  return rows.filter(({ value }) => !moved.some(({ id }) => id === value.form_id));
}

async function deliveriesOf(core: Core, submission_id: string): Promise<Write[]> {
  const query = { index: "submission", equals: { submission_id }, order: "asc", limit: 1_000 } as const;
  return (await core.storage.page("jobs", query)).map(({ id }) => remove("jobs", id));
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

async function removeDeliveries({ core, step }: Deletion, form_id: string): Promise<void> {
  for (;;) {
    const query = { index: "form", equals: { form_id }, order: "asc", limit: BATCH } as const;
    const rows = await core.storage.page("jobs", query);
    if (rows.length === 0) return;
    await step(
      rows.map(({ id }) => remove("jobs", id)),
      { deliveries: rows.length },
    );
  }
}

async function removeMessages({ core, run, team_id, step }: Deletion): Promise<void> {
  for await (const rows of core.rows.walk("messages", { index: "team", equals: { team_id }, limit: BATCH })) {
    await run.alive();
    for (const row of rows) await step(await messageRemoval(core, row), { messages: 1 });
  }
}

/**
 * Deliveries of forms that were deleted before, notices to the owner, and content that was kept for deliveries alone: no index leads
 * to them, so all are looked through, once nothing else is left. The mark remembers how far this got.
 */
export async function searchDeliveries({ core, run, team_id, step, note }: Deletion): Promise<void> {
  const from = note().searched_until;
  const where = from === null ? [] : [{ column: "created_at", op: "gte", value: from } as const];
  for await (const rows of core.rows.walk("jobs", { index: "all", where })) {
    await run.alive();
    const named = rows.filter(({ value }) => value.team_id === team_id);
    const own = named.length > 0 ? await withoutMoved({ core, run, team_id }, named) : [];
    const last = rows.at(-1);
    if (own.length === 0 || !last) continue;
    const states = own.flatMap(({ value }) =>
      value.kind === "webhook" ? [remove("webhook_states", value.target)] : [],
    );
    await step(
      [
        ...own.map(({ id }) => remove("jobs", id)),
        ...new Map(states.map((one) => [JSON.stringify(one), one])).values(),
      ],
      { deliveries: own.length },
      { searched_until: last.value.created_at },
    );
  }
  const removed = new Set(note().forms);
  for await (const rows of core.rows.walk("transient_submissions", { index: "all" })) {
    await run.alive();
    const forms = await core.rows.many("forms", [...new Set(rows.map(({ value }) => value.form_id))]);
    for (const row of rows) {
      const { form_id } = row.value;
      // It stays as it is while its form moves, so the form says whose it is, for as long as there is one.
      const team = removed.has(form_id) ? team_id : (forms.get(form_id)?.value.team_id ?? row.value.team_id);
      if (team !== team_id) continue;
      const files = await removeFiles(core, row.value);
      await step([remove("transient_submissions", row.id), ...files], { files: row.value.attachments.length });
    }
  }
}

/** Small records that name the team or one of its forms: quotas, taken values, idempotency keys, mails of the hour. */
export async function searchMarks({ core, run, team_id, step, note }: Deletion, own: string): Promise<void> {
  const names = new Set<unknown>([team_id, ...note().forms]);
  for await (const marks of pagesOf(core.storage, "marks", { index: "expiry", equals: {}, order: "asc" })) {
    await run.alive();
    const found = marks.filter(
      ({ id, value }) =>
        id !== own &&
        (names.has(value["team_id"]) || names.has(value["form_id"]) || id.split(":").some((part) => names.has(part))),
    );
    if (found.length > 0)
      await step(
        // The mark is all that leads to the bytes of a file that no post has claimed, so it stays for the next sweep, without a name.
        found.map((mark) => abandoned(core, mark) ?? remove("marks", mark.id)),
        {},
      );
  }
}
