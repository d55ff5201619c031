import { errors } from "../../../errors.ts";
import type { DryRun } from "../../../model/dry-run.ts";
import { ApiError, type ErrorCode } from "../../client/index.ts";
import type { Register } from "../declare.ts";
import { Failure, misuse } from "../failure.ts";
import { findForm } from "../find.ts";
import { jsonLine, safeLine } from "../text.ts";

/** `try`: the effects of a post that is stored nowhere. */
export const tryCommands: Register = (program, { http, action }) => {
  http(
    program
      .command("try")
      .description("Show what a post would do. Nothing is stored or sent.")
      .argument("<form>", "id or key"),
  )
    .requiredOption("-d, --data <name=value...>", "the fields of the post")
    .action(
      action(async (context, name: string, { data }: { data: string[] }) => {
        const fields = data.map((pair) => {
          const at = pair.indexOf("=");
          if (at < 1) throw misuse(`--data must be name=value, not "${safeLine(pair)}".`);
          return [pair.slice(0, at), pair.slice(at + 1)] as const;
        });
        const { id } = await findForm(context.client(), name);
        const response = await context.post(`/f/${id}?dry_run=1`, new URLSearchParams(fields as never));
        const result = (await response.json().catch(() => null)) as (DryRun & Partial<Refusal>) | null;
        if (result?.dry_run) {
          await context.io.out(context.json ? jsonLine(result) : `${linesOf(result).join("\n")}\n`);
          return;
        }
        const error = result?.error;
        if (error && error.code in errors) throw new ApiError(error.code, error);
        throw new Failure(
          `The server answered ${response.status} instead of a dry run: it may be older than this command.`,
        );
      }),
    );
};

interface Refusal {
  readonly error: { readonly code: ErrorCode; readonly message: string };
}

function linesOf({
  accepted,
  status,
  spam,
  verdicts,
  errors: faults,
  fields,
  answer,
  emails,
  webhooks,
}: DryRun): string[] {
  const rows: [string, string][] = [
    ["result", accepted ? `stored${spam ? " as spam" : ""}` : `refused with ${status}`],
    ...Object.entries(faults).map(
      ([field, { message, rule }]) => ["error", `${field}: ${message} (${rule})`] as [string, string],
    ),
    ...verdicts.map(
      ({ check, spam: isSpam, reason }) =>
        ["check", `${check}: ${isSpam ? "spam" : "no spam"}${reason ? `, ${reason}` : ""}`] as [string, string],
    ),
    ...fields.map(({ key, value }) => ["field", `${key}=${value}`] as [string, string]),
    ["response", `${answer.status}${answer.location ? ` ${answer.location}` : ""}`],
    ...emails.map(
      ({ kind, to, subject, error, due_at }) =>
        ["email", `${kind} to ${to}${due_at ? ` at ${due_at}` : ""}: ${error ?? subject}`] as [string, string],
    ),
    ...webhooks.map(
      ({ webhook_id, format, body }) => ["webhook", `${webhook_id}, ${format}: ${body}`] as [string, string],
    ),
  ];
  return rows.map(([name, text]) => `${name.padEnd(8)} ${safeLine(text)}`);
}
