import { InvalidArgumentError } from "commander";
import { canParseUrl } from "../../../lib/can-parse-url.ts";
import type { Register } from "../declare.ts";
import type { DoctorOptions } from "../doctor/index.ts";

/** `doctor`. */
export const doctorCommands: Register = (program, { http, action }) => {
  http(
    program
      .command("doctor")
      .description(
        "Find out why emails or webhooks don't arrive. Checks what the environment variables point to, and says what to do.",
      ),
  )
    .option("--form <form>", "check this form only, by id or key")
    .option("--origin <url>", "the site whose pages post to the form, for CORS", originOf)
    .option("--dkim <selector...>", "DKIM selectors of your mail provider", selector)
    .option("--dns <server>", "ask this name server, such as 1.1.1.1")
    .option("--send", "send a test event to each webhook")
    .action(
      action(async (context, options: DoctorOptions) => (await import("../doctor/index.ts")).doctor(context, options)),
    );
};

function selector(text: string, others: readonly string[] = []): string[] {
  if (!/^[a-z0-9_]([a-z0-9._-]{0,200}[a-z0-9_])?$/i.test(text))
    throw new InvalidArgumentError("It must be a selector such as s1.");
  return [...others, text];
}

function originOf(text: string): string {
  const url = canParseUrl(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError("It must be a site such as https://www.example.com.");
  return url.origin;
}
