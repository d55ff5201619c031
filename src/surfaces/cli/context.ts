import { canParseUrl } from "../../lib/can-parse-url.ts";
import { VIA } from "../../model/keys.ts";
import { type Client, createClient } from "../client/index.ts";
import { Failure, misuse } from "./failure.ts";
import { type Io, styled } from "./io.ts";
import { type Column, jsonLine, memberLines, tableLines } from "./text.ts";

/** Options that every command has. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly url?: string;
}

/** The tools of a running command. */
export interface Context {
  readonly io: Io;
  readonly json: boolean;
  /** The client of the management API; `retries` as in its options. Throws if a variable is not set. */
  client(retries?: number): Client;
  /** Posts to an address of the backend, with the key. */
  post(path: string, body: URLSearchParams): Promise<Response>;
  /** One result: a line of JSON, or its members. */
  show(value: object): Promise<void>;
  /** A list: a line of JSON for each, or a table; a message if it is empty. */
  list<T>(rows: readonly T[], shape: readonly Column<T>[], empty: string): Promise<void>;
  /** A message for people, on standard error; not with `--json`. */
  say(text: string): void;
  /**
   * Asks for consent to something that can't be undone, unless `yes` is set. Throws if the answer is no, and without a terminal,
   * where nobody could answer.
   */
  confirm(question: string, yes: boolean | undefined): Promise<void>;
}

/** A variable of the environment; an empty one counts as not set. Throws a misuse that says how to set it. */
export function required(io: Pick<Io, "env">, name: string, example: string): string {
  const value = io.env[name]?.trim();
  if (!value) throw misuse(`${name} is not set. Set it, for example: export ${name}=${example}`);
  return value;
}

export function contextOf(io: Io, options: CommonOptions): Context {
  const json = options.json ?? false;

  /** The backend and the key that the environment names. Throws if a variable is not set, or can't be one. */
  function target(): { baseUrl: string; token: string } {
    const baseUrl = options.url ?? required(io, "FORM_BACKEND_URL", "https://app.example.com/forms");
    const url = canParseUrl(baseUrl) ? new URL(baseUrl) : null;
    if (!url || !/^https?:$/.test(url.protocol)) {
      throw misuse(`${options.url ? "--url" : "FORM_BACKEND_URL"} must be a URL such as https://app.example.com/forms`);
    }
    const token = required(io, "FORM_BACKEND_KEY", "fb_live_…");
    // A token with other characters can't be a header, and the error of the platform would show it.
    if (!/^[\x21-\x7e]+$/.test(token))
      throw misuse("FORM_BACKEND_KEY is not an API key: it has spaces or special characters.");
    return { baseUrl, token };
  }

  return {
    io,
    json,
    client: (retries) => createClient({ ...target(), retries: retries ?? 3, fetch: named(patient(io)) }),
    post(path, body) {
      const { baseUrl, token } = target();
      const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
      const url = baseUrl.replace(/\/+$/, "") + path;
      return patient(io)(new Request(url, { method: "POST", headers, body, signal: io.signal }));
    },
    async show(value) {
      await io.out(json ? jsonLine(value) : `${memberLines(value).join("\n")}\n`);
    },
    async list(rows, shape, empty) {
      if (json) {
        for (const row of rows) await io.out(jsonLine(row));
        return;
      }
      if (rows.length === 0) return io.err(`${empty}\n`);
      const [heading = "", ...lines] = tableLines(rows, shape, io.tty.out ? io.columns : null);
      await io.out(`${[styled(io, "bold", heading), ...lines].join("\n")}\n`);
    },
    say(text) {
      if (!json) io.err(`${text}\n`);
    },
    async confirm(question, yes) {
      if (yes) return;
      if (!io.tty.in || !io.tty.err)
        throw new Failure(`${question} There is no terminal to ask on. Repeat the command with --yes.`);
      const answer = await io.ask(`${question} [y/N] `);
      if (!/^y(es)?$/i.test(answer.trim())) throw new Failure("Nothing was changed.");
    },
  };
}

const MAX_WAITS = 10;
const MAX_WAIT_MS = 60_000;

/** Says in the audit that the command line calls. */
const named =
  (send: (request: Request) => Promise<Response>) =>
  (request: Request): Promise<Response> => {
    request.headers.set(VIA, "cli");
    return send(request);
  };

/** Sends a change again after a 429, which did nothing. The client itself repeats reads. */
const patient =
  ({ fetch: send = (request) => fetch(request), sleep }: Pick<Io, "fetch" | "sleep">) =>
  async (request: Request): Promise<Response> => {
    for (let waits = 0; ; waits++) {
      const response = await send(request.clone());
      if (response.status !== 429 || request.method === "GET" || waits === MAX_WAITS) return response;
      const seconds = Number(response.headers.get("retry-after")) || 1;
      await response.body?.cancel();
      await sleep(Math.min(seconds * 1_000, MAX_WAIT_MS));
    }
  };
