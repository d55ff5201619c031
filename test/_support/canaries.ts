import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll } from "vitest";
import { fsBlob } from "../../src/drivers/blob/fs.ts";
import { smtpMailer } from "../../src/drivers/mailer/smtp.ts";
import type { StorageDriver } from "../../src/drivers/storage/types.ts";
import type { HostFormCreate } from "../../src/index.ts";
import { type CollectionName, collections } from "../../src/model/collections.ts";
import type { TestBackendOptions } from "../../src/surfaces/testing/backend.ts";
import { type Harness, harness } from "./backend.ts";
import { formData, json } from "./blobs.ts";
import { encodings, encryption } from "./privacy.ts";
import { httpReceiver, type Receiver } from "./receivers.ts";
import { startSmtpServer, type TestSmtpServer } from "./smtp.ts";
import { temporaryDirectory } from "./temporary.ts";

export const DAY = 86_400_000;

/** Values that nothing else contains, each with the place where somebody wrote it. */
export function nest() {
  const places = new Map<string, string>();
  return {
    /** A fresh value for a place, the same one whenever the place is named again. */
    at(place: string): string {
      const known = [...places].find(([, one]) => one === place)?.[0];
      const value = known ?? `q${randomBytes(12).toString("hex")}`;
      places.set(value, place);
      return value;
    },
    /** The places whose values bytes contain, in any of the ways to write them. */
    in(bytes: Buffer | string): string[] {
      const searched = bytes.toString("latin1").toLowerCase();
      return [...places]
        .filter(([value]) => encodings(value).some((way) => searched.includes(way.toLowerCase())))
        .map(([, place]) => place)
        .sort();
    },
  };
}
export type Nest = ReturnType<typeof nest>;

/** The text of an error that a driver or hook of the host throws may hold all that it was given. */
export const repeating = (given: unknown): never => {
  throw Object.assign(new Error(`failed on ${JSON.stringify(given)}`), { detail: JSON.stringify(given) });
};

export type Verb = "get" | "page" | "commit" | "put" | "blob.get" | "remove";

/** A store, and its tables as text where somebody else keeps them. */
export type Open = (folder: string) => Promise<{ store: StorageDriver; dump?: () => Promise<string> }>;

export interface World<H extends Harness = Harness> {
  readonly b: H;
  /** Lines of every level. */
  readonly log: string[];
  /** Calls of drivers that fail, with all that they were given in their error. */
  readonly failing: Set<Verb>;
  /** Every row that was ever written and is still there, of every collection. */
  rows(): Promise<string>;
  /** The bytes of every file: those of the database with its journal, and the blobs. */
  bytes(): Buffer;
}

export const emailOf = (visitor: Nest): string => `${visitor.at("address")}@visitor.example`;

/** A visitor's headers, with something in each. */
export const headersOf = (visitor: Nest): Record<string, string> => ({
  ...json,
  "user-agent": visitor.at("User-Agent"),
  referer: `https://site.example/${visitor.at("Referer")}`,
  origin: `https://site.example/${visitor.at("Origin")}`,
  "accept-language": `de, ${visitor.at("Accept-Language")}`,
  "x-request-id": visitor.at("X-Request-Id"),
  "x-forwarded-for": visitor.at("X-Forwarded-For"),
  "idempotency-key": visitor.at("Idempotency-Key"),
  cookie: `a=${visitor.at("Cookie")}`,
});

export const partsOf = (visitor: Nest, fileType = "text/plain"): Parameters<typeof formData>[0] => [
  ["email", emailOf(visitor)],
  ["note", `A note: ${visitor.at("value")}`],
  [visitor.at("field name"), "x"],
  ["_subject", visitor.at("_subject")],
  ["cf-turnstile-response", visitor.at("captcha token")],
  ["cv", [`${visitor.at("file name")}.txt`, `bytes ${visitor.at("file bytes")}`, fileType]],
];

/** A receiver and a mail server for the tests of a file, and worlds that use them. */
export function canaries() {
  /** Repeats all that it was asked after words of its own. The path says what it answers: `/204`, `/422`. */
  let receiver: Receiver;
  let smtp: TestSmtpServer;
  /** Words of receivers and mail servers. */
  const theirs = nest();
  beforeAll(async () => {
    receiver = await httpReceiver(async (request, response) => {
      const asked = await text(request);
      const status = Number(/^\/(\d{3})/.exec(request.url ?? "")?.[1] ?? 200);
      const words = `${theirs.at(`answer ${status}`)} ${JSON.stringify(request.headers)} ${asked}`;
      const isCaptcha = request.url?.includes("captcha");
      response.setHeader("x-said", theirs.at("answer's header"));
      response.writeHead(status, theirs.at("status line"));
      response.end(
        isCaptcha ? JSON.stringify({ success: false, "error-codes": [words] }) : status === 204 ? "" : words,
      );
    });
    smtp = await startSmtpServer();
  });
  afterAll(async () => {
    await receiver.close();
    await smtp.close();
  });

  /** A backend whose store and blobs can be searched and made to fail, and whose log is kept at every level. */
  async function world<H extends Harness = Harness>(
    open: Open,
    options: TestBackendOptions = {},
    make: (options: TestBackendOptions) => H = harness as (options: TestBackendOptions) => H,
  ): Promise<World<H>> {
    const folder = temporaryDirectory();
    const log: string[] = [];
    const say =
      (level: string) =>
      (...words: unknown[]): void =>
        void log.push(
          `${level} ${words.map((word) => (typeof word === "string" ? word : JSON.stringify(word))).join(" ")}`,
        );
    const failing = new Set<Verb>();
    const { store, dump } = await open(folder);
    const written = new Map<string, Set<string>>();
    const storage: StorageDriver = {
      ...store,
      async commit(writes) {
        for (const write of writes) {
          const { id } = write;
          const collection = write.op === "add" ? "counters" : write.collection;
          written.set(collection, (written.get(collection) ?? new Set()).add(id));
        }
        return failing.has("commit") ? repeating(writes) : store.commit(writes);
      },
      async get(collection, ids) {
        const rows = await store.get(collection, ids);
        return failing.has("get") && collection !== "forms" ? repeating([...rows]) : rows;
      },
      async page(collection, query) {
        const rows = await store.page(collection, query);
        return failing.has("page") && collection !== "forms" ? repeating([query, rows]) : rows;
      },
    };
    const files = fsBlob({ dir: join(folder, "files") });
    const b = make({
      encryption,
      storage,
      blob: {
        ...files,
        put: async (id, body, meta) => (failing.has("put") ? repeating(await text(body)) : files.put(id, body, meta)),
        get: async (id) => {
          const body = await files.get(id);
          return failing.has("blob.get") && body ? repeating(await text(body)) : body;
        },
        remove: async (id) => {
          const body = failing.has("remove") ? await files.get(id) : null;
          return body ? repeating(await text(body)) : files.remove(id);
        },
      },
      mailer: smtpMailer(smtp.url),
      logger: { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") },
      webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
      rateLimit: false,
      ...options,
    });
    return {
      b,
      log,
      failing,
      async rows() {
        const found: unknown[] = [];
        for (const name of Object.keys(collections) as CollectionName[]) {
          found.push([name, ...(await store.get(name, [...(written.get(name) ?? [])]))]);
        }
        return JSON.stringify(found) + ((await dump?.()) ?? "");
      },
      bytes() {
        const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
        return Buffer.concat(paths.filter((path) => statSync(path).isFile()).map((path) => readFileSync(path)));
      },
    };
  }

  /** A form that tells everybody: its owner, the sender and a receiver that answers `status`. */
  async function formOf(
    { b }: World,
    tenant: Nest,
    status: number,
    more: Partial<HostFormCreate> = {},
  ): Promise<string> {
    const { id } = await b.forms.create({
      name: tenant.at("form name"),
      self_email_notification: { recipients: ["owner@example.com"] },
      auto_response: { enabled: true },
      ...more,
    });
    await b.webhooks.create(id, { url: `http://127.0.0.1:${receiver.port}/${status}/${tenant.at("webhook URL")}` });
    return id;
  }

  return { theirs, world, formOf, receiver: () => receiver, smtp: () => smtp };
}
export type Canaries = ReturnType<typeof canaries>;

export const send = ({ b }: World, id: string, visitor: Nest, type?: string) =>
  b.post(id, formData(partsOf(visitor, type)), headersOf(visitor));

/** The values of a visitor's draft, under the name that the page made up for it. */
export const saveDraft = ({ b }: World, id: string, visitor: Nest, body?: unknown) =>
  b.call("PUT", `/f/${id}/drafts/${visitor.at("draft name")}abcdefgh`, {
    key: null,
    body: body ?? { email: emailOf(visitor), note: visitor.at("draft value") },
    headers: { ...headersOf(visitor), "sec-fetch-mode": "cors" },
  });
