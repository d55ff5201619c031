import { canParseUrl } from "../../../lib/can-parse-url.ts";
import { type Dns, dnsOf } from "../../../lib/sender-dns/dns.ts";
import type { Finding, Level } from "../../../lib/sender-dns/finding.ts";
import type { Context } from "../context.ts";
import { variable } from "../environment.ts";
import { exit, Failure, misuse } from "../failure.ts";
import { jsonLine } from "../text.ts";
import { checkerOf } from "./checker.ts";
import { checkForms, type FormOptions, isRefused } from "./forms.ts";
import { findingLines } from "./lines.ts";
import { checkMail } from "./mail.ts";
import { checkMcp, checkUrl } from "./network.ts";
import { checkStore, hasStore } from "./store.ts";
import { checkVersions } from "./versions.ts";

export interface DoctorOptions extends FormOptions {
  readonly url?: string;
  readonly dkim?: readonly string[];
  readonly dns?: string;
}

function dnsAt(server: string | undefined): Dns {
  try {
    return dnsOf(server);
  } catch {
    throw misuse(`--dns must be the IP address of a name server, such as 1.1.1.1, not "${server?.slice(0, 100)}".`);
  }
}

/** Runs all checks that the environment allows. Throws `Failure` if one failed. */
export async function doctor(context: Context, { dkim = [], dns, ...options }: DoctorOptions): Promise<void> {
  const { io, json, say } = context;
  const given = options.url ?? variable(io.env, "FORM_BACKEND_URL");
  const named = ["SMTP_URL", "FORM_BACKEND_FROM", "FORM_BACKEND_SECRET", "S3_URL", "REDIS_URL"].some((name) =>
    variable(io.env, name),
  );
  if (given === undefined && !named && !hasStore(io)) {
    throw misuse(
      "There is nothing to check: set FORM_BACKEND_URL, and for the server SMTP_URL, FORM_BACKEND_FROM and DATABASE_URL.",
    );
  }
  const counts: Record<Level, number> = { ok: 0, warning: 0, failed: 0, skipped: 0 };
  let printed: Promise<void> = Promise.resolve();
  const add = (finding: Finding): void => {
    counts[finding.level]++;
    const text = json ? jsonLine(finding) : `${findingLines(io, finding).join("\n")}\n`;
    printed = printed.then(() => io.out(text));
    // Awaited at the end, which throws it.
    printed.catch(() => {});
  };
  const checker = checkerOf(io, dnsAt(dns), dkim, add);
  await checkVersions(checker);
  await checkStore(checker);
  await checkMail(checker);
  const refused = await checkBackend(context, checker, given, options);
  await printed;
  say(`${counts.failed} failed, ${counts.warning} to look at, ${counts.ok} fine, ${counts.skipped} not checked.`);
  if (refused) throw new Failure("", exit.refused);
  if (counts.failed > 0) throw new Failure("");
}

/** The checks over the network. Returns true if the key was refused. */
async function checkBackend(
  context: Context,
  checker: ReturnType<typeof checkerOf>,
  given: string | undefined,
  options: FormOptions,
): Promise<boolean> {
  const { io } = context;
  const url = given?.replace(/\/+$/, "");
  if (url === undefined || !canParseUrl(url) || !/^https?:/.test(url)) {
    await checker.check("baseUrl", async (find) =>
      url === undefined
        ? find.skipped("FORM_BACKEND_URL is not set.", "Set it to the URL where the backend is mounted.")
        : find.failed("FORM_BACKEND_URL is not a URL.", "Write it as https://app.example.com/forms."),
    );
    return false;
  }
  const { username, password } = new URL(url);
  if (username !== "" || password !== "") {
    await checker.check("baseUrl", async (find) =>
      find.failed(
        "FORM_BACKEND_URL has a user name or password in it, which would stand in links and logs.",
        "Write it as https://app.example.com/forms.",
      ),
    );
    return false;
  }
  const reached = await checkUrl(checker, url);
  if (!reached) return false;
  await checkMcp(checker, url);
  if (variable(io.env, "FORM_BACKEND_KEY") === undefined) {
    await checker.check("forms", async (find) =>
      find.skipped(
        "FORM_BACKEND_KEY is not set.",
        "Set it to check endpoint, trustProxy, CORS, emails and webhooks of your forms.",
      ),
    );
    return false;
  }
  try {
    await checkForms(checker, context.client(), { url, reached }, options);
    return false;
  } catch (error) {
    if (!isRefused(error)) throw error;
    await checker.check("key", async (find) =>
      find.failed(
        `FORM_BACKEND_KEY is refused: ${error.message} (${error.code})`,
        "Create a key with: form-backend keys create",
      ),
    );
    return true;
  }
}
