import type { Core } from "../../core/core.ts";
import { ignoreStale, put } from "../../core/rows.ts";
import type { Mail, MailServer } from "../../drivers/mailer/types.ts";
import type { Stored, Write } from "../../drivers/storage/types.ts";
import { iso } from "../../lib/clock.ts";
import { type Html, html } from "../../lib/html.ts";
import { oneLine } from "../../lib/one-line.ts";
import { addresseeOf, type JobRecord } from "../../model/jobs.ts";
import { type JobOutcome, skipped } from "../../model/outcome.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { serverOfTeam } from "../email-servers/service.ts";
import { waitingUnder } from "../jobs/waiting.ts";
import { type Draft, filesOf } from "./letter.ts";
import { ownMailLogo } from "./own-mail.ts";
import { closeSummary } from "./owner-limit.ts";
import { fieldLines, fileLines, letterText } from "./plain.ts";
import { prepare } from "./prepare.ts";
import type { Sender } from "./sender.ts";
import { fieldLine, fileLine, summaryRow } from "./summary-row.ts";
import { formal } from "./themes/formal.ts";

/** Full text in one summary, in bytes; the HTML part contains less, because programs cut it. */
const TEXT_BYTES = 256 * 1024;
const HTML_BYTES = 80 * 1024;
/** Deliveries in one summary; the rest goes into the next. */
const MAX_JOBS = 2_000;
const BATCH = 100;

type Send = (mail: Mail, server: MailServer | undefined) => Promise<JobOutcome>;
type Entry = Stored<JobRecord>;

/** One submission. */
interface Block {
  readonly text: string;
  /** A row of the theme. */
  readonly row: Html;
}

interface Content {
  /** Submissions that it says whole. */
  readonly blocks: Block[];
  /** Submissions that it only counts, by the name of their form; they are stored. */
  readonly counted: Map<string, number>;
  /** Deliveries that finish with this mail, those that are sent alone, and those that are no longer wanted. */
  readonly told: Entry[];
  readonly released: Entry[];
  readonly unwanted: { row: Entry; outcome: JobOutcome }[];
}

/**
 * Sends the notifications that waited for this summary as one mail. They get its result. A submission that does not fit is
 * counted if it is stored; if this mail is its only copy, it waits for the next one.
 */
export async function sendSummary(core: Core, id: string, job: JobRecord, send: Send): Promise<JobOutcome> {
  await closeSummary(core, id, job);
  const own = await serverOfTeam(core, job.target, job.team_id);
  const words = core.options.languages.owner;
  const sender = { from: own?.from ?? core.options.from, server: own?.server };
  return sendCollected(core, id, job, { words, sender, about: "", why: words.summary.why() }, send);
}

/** The frame of a mail that collects others. */
interface Frame {
  readonly words: Words;
  readonly sender: Pick<Sender, "from" | "server">;
  /** Begins the subject; empty for nothing. */
  readonly about: string;
  /** The first sentence; empty for none. */
  readonly why: string;
}

/** Sends the notifications that wait for a job as one mail. They get its result. */
export async function sendCollected(
  core: Core,
  id: string,
  job: JobRecord,
  frame: Frame,
  send: Send,
): Promise<JobOutcome> {
  const content = await contentFor(core, id, frame.words);
  const { told, released, unwanted } = content;
  const outcome =
    told.length === 0
      ? skipped("SKIPPED_SUBMISSION_DELETED")
      : await send(compose(core, id, job, content, frame), frame.sender.server);
  // The ones with a result of their own also wait for another attempt of this mail, so that all of them are read again.
  if (outcome.status === "retry") return outcome;
  const { status, code, message, ours } = outcome;
  const result = { status, code, ...(message !== undefined && { message }), ...(ours && { ours }) };
  await passOn(core, job.target, [
    ...told.map((row) => ({ row, result })),
    ...unwanted.map(({ row, outcome: { status, code } }) => ({ row, result: { status, code } })),
    ...released.map((row) => ({ row })),
  ]);
  return outcome;
}

async function contentFor(core: Core, id: string, words: Words): Promise<Content> {
  const content: Content = { blocks: [], counted: new Map(), told: [], released: [], unwanted: [] };
  let bytes = 0;
  let seen = 0;
  for await (const row of waitingUnder(core, id)) {
    if (++seen > MAX_JOBS) {
      content.released.push(row);
      if (content.released.length > MAX_JOBS) break;
      continue;
    }
    const draft = await prepare(core, row.id, row.value);
    if ("status" in draft) {
      content.unwanted.push({ row, outcome: draft });
      continue;
    }
    const block = blockOf(core, draft, words);
    const size = Buffer.byteLength(block.text);
    if (bytes + size <= TEXT_BYTES || content.blocks.length === 0) {
      bytes += size;
      content.blocks.push(block);
      content.told.push(row);
    } else if (row.value.transient) content.released.push(row);
    else {
      const name = oneLine(draft.form.value.name);
      content.counted.set(name, (content.counted.get(name) ?? 0) + 1);
      content.told.push(row);
    }
  }
  return content;
}

/** The subject of one mail with `count` notifications. */
export function subjectOf({ summary }: Words, about: string, count: number): string {
  const said = summary.subject({ count });
  return about === "" ? said : `${about}: ${said}`;
}

function blockOf(core: Core, draft: Draft, words: Words): Block {
  const { form, submission } = draft;
  const files = filesOf(core, words, draft);
  const about = { form: oneLine(form.value.name), time: words.time(submission.created_at) };
  const head = submission.spam ? words.summary.head_spam(about) : words.summary.head(about);
  return {
    text: `${head}\n${fieldLines(submission.fields)}${fileLines(files)}`.trimEnd(),
    row: summaryRow(
      html`<h2 dir="auto" style="margin:0 0 6px;font-size:16px;font-weight:600">${head}</h2>${submission.fields.map(fieldLine)}${files.map(fileLine)}`,
    ),
  };
}

function compose(
  core: Core,
  id: string,
  job: JobRecord,
  { blocks, counted, told }: Content,
  { words, sender: { from }, about, why }: Frame,
): Mail {
  const { look } = core.options;
  const said = words.summary;
  const subject = subjectOf(words, about, told.length);
  const rest = [...counted].map(([form, count]) => said.counted({ form, count }));
  const footer = [said.footer()];
  let bytes = 0;
  const shown = blocks.filter(({ row }) => {
    bytes += Buffer.byteLength(row.html);
    return bytes <= HTML_BYTES;
  });
  const left = blocks.length - shown.length;
  const more = [...(left > 0 ? [said.more({ count: left })] : []), ...rest];
  return {
    from: { name: from.name || core.options.brand.name, address: from.address },
    to: { name: "", address: addresseeOf(job) },
    subject,
    messageId: `${id}@${new URL(core.options.baseUrl).hostname}`,
    date: core.clock.now(),
    text: letterText([why, ...blocks.map(({ text }) => text), ...rest], footer),
    html: formal.page({
      words,
      title: subject,
      logo: ownMailLogo(look),
      primary: look.primary,
      kicker: "",
      heading: subject,
      rtl: words.dir === "rtl",
      notice: why,
      rows: [...shown.map(({ row }) => row), ...more.map((text) => summaryRow(html`<div dir="auto">${text}</div>`))],
      files: [],
      filesNote: "",
      message: null,
      footer,
    }),
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
  };
}

/** Makes waiting jobs due, with their result if they have one. Each runs once more, so it finishes as every delivery does. */
async function passOn(
  core: Core,
  target: string,
  entries: readonly { row: Entry; result?: JobOutcome }[],
): Promise<void> {
  const due_at = iso(core.storeClock.now());
  const writes = entries.map(({ row, result }): Write => {
    const value = { ...row.value, target, due_at, ...(result && { result }) };
    return put("jobs", row.id, value, row.version);
  });
  for (let at = 0; at < writes.length; at += BATCH) {
    const some = writes.slice(at, at + BATCH);
    await core.commitNow(some).catch(async (error: unknown) => {
      ignoreStale(error);
      // One of them runs by itself, or is gone.
      for (const write of some) await core.commitNow([write]).catch(ignoreStale);
    });
  }
  if (writes.length > 0) core.queue.wake("email");
}
