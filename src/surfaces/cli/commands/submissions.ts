import { type Command, Option } from "commander";
import type { Client, Item } from "../../client/index.ts";
import type { Context } from "../context.ts";
import type { Register } from "../declare.ts";
import { type Filters, filtersOf } from "../filters.ts";
import { findForm } from "../find.ts";
import { followed } from "../tail.ts";
import { type Column, jsonLine, safeLine, tableLines } from "../text.ts";
import { integer, moment } from "../values.ts";
import { exportTo } from "./export.ts";
import { importCommand } from "./import.ts";

type Submission = Item<"listSubmissions">;

const shape: readonly Column<Submission>[] = [
  ["ID", ({ id }) => id],
  ["TIME", ({ created_at }) => created_at.slice(0, 19).replace("T", " ")],
  ["", ({ spam, read }) => (spam ? "spam" : read ? "read" : "new")],
  ["FIELDS", ({ fields }) => fields.map(({ key, value }) => `${key}=${value}`).join("  ")],
];

/** `submissions list|tail|export|import`. */
export const submissionCommands: Register = (program, declare) => {
  const { http, action, io } = declare;
  const submissions: Command = program
    .command("submissions")
    .description("Read, follow, export and import submissions.");
  const time = moment(io.now);
  const filtered = (command: Command): Command =>
    http(command)
      .addOption(new Option("--status <status>", "which list").choices(["inbox", "spam", "all", "pending"]))
      .option("--after <time>", "from this time on: 2026-01-31, 24h or 7d", time)
      .option("--before <time>", "before this time", time)
      .option("--search <text>", "text in any value")
      .option("--unread", "only unread ones")
      .option("--where <name=value...>", "fields with exactly this value");

  filtered(
    submissions.command("list").description("List submissions, the newest first.").argument("<form>", "id or key"),
  )
    .option("--limit <number>", "how many at most", integer(1, 100_000), 25)
    .action(
      action(async (context, name: string, options: Filters & { limit: number }) => {
        const api = context.client();
        const filters = filtersOf(options);
        const { id } = await findForm(api, name);
        const rows: Submission[] = [];
        const limit = Math.min(options.limit, 100);
        for await (const row of api.listSubmissions.all({ form_id: id, ...filters, limit })) {
          rows.push(row);
          if (rows.length === options.limit) break;
        }
        await context.list(rows, shape, "No submissions found.");
      }),
    );

  http(
    submissions
      .command("tail")
      .description("Print submissions as they come in, until Ctrl-C.")
      .argument("<form>", "id or key"),
  )
    .addOption(new Option("--status <status>", "which list").choices(["inbox", "spam", "all"]))
    .option("-f, --follow", "as in tail -f; always on")
    .action(
      action(async (context, name: string, { status }: Pick<Filters, "status">) => {
        // It goes on after a failure anyway.
        const api = context.client(0);
        const form = await findForm(api, name);
        context.say(`Waiting for submissions of "${safeLine(form.name)}". Stop with Ctrl-C.`);
        await tail(context, api, form.id, status);
      }),
    );

  filtered(
    submissions.command("export").description("Write all submissions as a file.").argument("<form>", "id or key"),
  )
    .addOption(new Option("--format <format>", "the kind of file").choices(["csv", "json", "ndjson"]).default("csv"))
    .option("--output <file>", "the file; without it, standard output")
    .option("--force", "overwrite the file")
    .action(action(exportTo));

  importCommand(submissions, declare);
};

async function tail(context: Context, api: Client, form_id: string, status: Filters["status"]): Promise<void> {
  const { io, json } = context;
  const filters = { form_id, ...(status && { status }) };
  const problem = (error: Error): void => io.err(`${safeLine(error.message)} Trying again.\n`);
  for await (const row of followed(api, filters, io, problem)) {
    await io.out(json ? jsonLine(row) : `${tableLines([row], shape, io.tty.out ? io.columns : null)[1]}\n`);
  }
}
