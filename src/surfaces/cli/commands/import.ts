import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";
import { type Command, Option } from "commander";
import type { HostForm } from "../../../model/forms.ts";
import type { FormBackend } from "../../form-backend.ts";
import type { CsvColumn, CsvPreset, DateFormat, ImportRow, JsonOptions, UnreadableRow } from "../../import/index.ts";
import type { Context } from "../context.ts";
import type { Declare } from "../declare.ts";
import { Failure, misuse } from "../failure.ts";
import { progress } from "../progress.ts";
import { withStore } from "../store.ts";
import { safeLine } from "../text.ts";

const presets = [
  "form-backend",
  "formspree",
  "netlify",
  "formcarry",
  "basin",
  "web3forms",
  "getform",
  "forminit",
  "formspark",
];
const columns = ["created_at", "source_id", "spam", "read", "ip", "country", "user_agent", "referer"];
/** Faults that are printed one by one. */
const MAX_SHOWN = 20;

interface Options {
  readonly from?: CsvPreset;
  readonly source?: string;
  readonly dryRun?: boolean;
  readonly column?: string[];
  readonly dateFormat: DateFormat;
  readonly timeZone: string;
  readonly separator?: string;
}

/** `submissions import`. */
export function importCommand(submissions: Command, { store, action }: Declare): void {
  store(
    submissions
      .command("import")
      .description(
        "Import a file of submissions (CSV, JSON or NDJSON). Nothing is mailed, and a second run adds nothing.",
      )
      .argument("<form>", "id or key")
      .argument("<file>", "the file"),
  )
    .addOption(new Option("--from <service>", "the service that exported the file").choices(presets))
    .option("--source <name>", "name of this import; default: the service, or the file's name")
    .option("--dry-run", "read and check everything, and store nothing")
    .option("--column <meaning=name...>", `columns by meaning: ${columns.join(", ")}`)
    .addOption(
      new Option("--date-format <format>", "order of dates such as 5/6/2024")
        .choices(["iso", "dmy", "mdy", "unix"])
        .default("iso"),
    )
    .option("--time-zone <zone>", "time zone of times that name none", "UTC")
    .option("--separator <text>", "text between several values in one cell")
    .action(action(importFile));
}

async function importFile(context: Context, name: string, file: string, options: Options): Promise<void> {
  const { io, json } = context;
  const path = resolve(io.cwd, file);
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) throw new Failure(`There is no file ${safeLine(file)}.`);
  const rows = await rowsOf(path, options);
  const source = options.source ?? options.from ?? file.replace(/^.*[/\\]/, "").slice(0, 100);
  let read = 0;
  let shown = 0;
  const line = progress(io, "rows read");
  async function* counted(): AsyncGenerator<ImportRow | UnreadableRow, void> {
    for await (const row of rows) {
      io.signal.throwIfAborted();
      line.update(String(++read));
      yield row;
    }
  }
  await withStore(io, { create: false }, async (backend) => {
    const form = await formIn(backend, name);
    try {
      const result = await backend.submissions.import(form.id, counted(), {
        source,
        dry_run: options.dryRun ?? false,
        onFailed: ({ index, line: at, message }) => {
          if (++shown > MAX_SHOWN) return;
          line.end();
          io.err(`${at === undefined ? `row ${index + 1}` : `line ${at}`}: ${safeLine(message)}\n`);
        },
      });
      line.end();
      const { failed, more_failed = 0, ...rest } = result;
      const count = failed.length + more_failed;
      if (count > MAX_SHOWN) io.err(`… and ${count - MAX_SHOWN} more.\n`);
      await context.show(json ? result : { ...rest, failed: count });
      if (options.dryRun) context.say("Nothing was stored.");
      if (count > 0) {
        const rows = count === 1 ? "1 row" : `${count} rows`;
        throw new Failure(`${rows} could not be read. The others ${options.dryRun ? "can be" : "are"} imported.`);
      }
    } catch (error) {
      line.end();
      if (!io.signal.aborted) throw error;
      throw new Failure(
        `Interrupted after ${read} rows. Repeat the command to go on: rows that are stored are skipped.`,
      );
    }
  });
}

async function rowsOf(path: string, options: Options): Promise<AsyncIterable<ImportRow | UnreadableRow>> {
  const { csvRows, jsonRows, formspreeJsonRows } = await import("../../import/index.ts");
  const { from, column = [], dateFormat: date_format, timeZone: time_zone, separator } = options;
  const stream = createReadStream(path);
  const kind = extname(path).toLowerCase();
  if (kind === ".json" && from === "formspree") return formspreeJsonRows(stream);
  if (kind === ".json" || kind === ".ndjson" || kind === ".jsonl") return jsonRows(stream, folderOf(path));
  return csvRows(stream, {
    preset: from,
    columns: Object.fromEntries(column.map(columnOf)),
    date_format,
    time_zone,
    separator,
  });
}

/** The folder of an unpacked export of a team, whose files come along. */
const folderOf = (path: string): JsonOptions =>
  basename(dirname(path)) === "submissions" ? { folder: dirname(dirname(path)) } : {};

function columnOf(pair: string): [CsvColumn, string] {
  const [meaning = "", ...name] = pair.split("=");
  if (!columns.includes(meaning) || name.length === 0) {
    throw misuse(
      `--column must be one of ${columns.join(", ")}, then = and the column's name, not "${safeLine(pair)}".`,
    );
  }
  return [meaning as CsvColumn, name.join("=")];
}

/** The form with this id or key. Throws `Failure` if there is not exactly one. */
async function formIn(backend: FormBackend, name: string): Promise<HostForm> {
  const found: HostForm[] = [];
  for (let cursor: string | undefined; ; ) {
    const { data, next_cursor } = await backend.forms.list({ limit: 100, ...(cursor !== undefined && { cursor }) });
    const form = data.find(({ id }) => id === name);
    if (form) return form;
    found.push(...data.filter(({ settings }) => settings.key === name));
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  const [form, other] = found;
  if (!form) throw new Failure(`There is no form with the id or key "${safeLine(name)}" in this store.`);
  if (other) throw new Failure(`Forms of several teams have the key "${name}": use the id ${form.id} or ${other.id}.`);
  return form;
}
