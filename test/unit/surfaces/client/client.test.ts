import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { z } from "zod";
import { formBackend } from "../../../../adapters/node.ts";
import type { Route } from "../../../../src/core/http/route.ts";
import { ApiError as ServersApiError } from "../../../../src/errors.ts";
import { routes } from "../../../../src/surfaces/api/table.ts";
import { ApiError, type Client, type ClientOptions, createClient } from "../../../../src/surfaces/client/index.ts";
import { type operations, paged, streamed } from "../../../../src/surfaces/client/operations.ts";
import { createTestBackend } from "../../../../src/surfaces/testing/backend.ts";

const rows = Object.entries(routes) as unknown as [keyof typeof operations, Route][];
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A client of a backend in this process, and the requests that it sent. */
function inProcess(options: Partial<ClientOptions> = {}) {
  const backend = createTestBackend();
  const requests: Request[] = [];
  const client = createClient({
    baseUrl: backend.baseUrl,
    token: backend.key,
    fetch: (request) => {
      requests.push(request);
      return backend.fetch(request);
    },
    ...options,
  });
  return { backend, client, requests };
}

/** A client of something that answers what it is told, one after the other, and then the last for ever. */
function answered(...answers: (() => Response)[]) {
  const requests: Request[] = [];
  const client = createClient({
    baseUrl: "https://app.example.com/forms/",
    token: "t",
    fetch: async (request) => {
      requests.push(request);
      return (answers.length > 1 ? answers.shift() : answers[0])!();
    },
  });
  return { client, requests };
}

const failure =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  () =>
    Response.json({ error: { type: "x", code, message: "No.", request_id: "req_1" } }, { status, headers });
const list = () => Response.json({ data: [], has_more: false, next_cursor: null });

describe("operations", () => {
  it("have no two inputs of one name, which could not be told apart in one object", () => {
    for (const [name, row] of rows) {
      const names = [row.params, row.query, row.multipart ?? row.body].flatMap((schema) =>
        Object.keys((schema as z.ZodObject | undefined)?.shape ?? {}),
      );
      expect([...new Set(names)], name).toEqual(names);
    }
  });

  it("are streamed exactly where the answer may be something else than JSON", () => {
    expect(rows.filter(([, row]) => row.otherTypes).map(([name]) => name)).toEqual(streamed);
  });

  it("are paged exactly where the answer has more", () => {
    const more = rows.filter(([, row]) => {
      const shape = (row.response as Partial<z.ZodObject>).shape ?? {};
      return "has_more" in shape && "data" in shape;
    });
    expect(more.map(([name]) => name).sort()).toEqual(Object.keys(paged).sort());
  });
});

describe("every operation works on a live server", () => {
  it("over sockets", async () => {
    const backend = createTestBackend();
    const server: Server = createServer(formBackend(backend)).listen(0);
    const called = new Set<string>();
    const plain = createClient({
      baseUrl: `http://localhost:${(server.address() as AddressInfo).port}/forms`,
      token: () => Promise.resolve(backend.key),
    });
    const client = new Proxy(plain, { get: (target, name: keyof Client) => called.add(name) && target[name] });
    try {
      expect((await client.health()).status).toBe("ok");
      expect((await client.openapi())["openapi"]).toBe("3.1.0");
      expect((await client.tlsAllowed({ domain: "localhost" })).allowed).toBe(true);
      expect((await client.me()).workspace?.id).toBe("default");
      const form = await client.createForm({ name: "Contact" });
      const { id: form_id } = form;
      expect(await client.listEmailServers()).toEqual({ data: [] });
      expect((await client.listForms({ limit: 1 })).data.map(({ id }) => id)).toEqual([form_id]);
      expect(await client.retrieveForm({ form_id })).toEqual(form);
      expect(
        (await client.updateForm({ form_id, active: true, after_submit: { page: { theme: "sweet" } } })).after_submit
          .page.theme,
      ).toBe("sweet");
      expect((await client.updateForm({ form_id })).name).toBe("Contact");
      let version = "";
      const settings = await client.retrieveFormSettings(
        { form_id },
        { onHeaders: (headers) => (version = headers.get("etag") ?? "") },
      );
      expect(settings.labels).toEqual({});
      const labels = { msg: "Message" };
      expect((await client.updateFormSettings({ form_id, labels }, { ifMatch: version })).labels).toEqual(labels);
      await expect(client.updateFormSettings({ form_id, labels }, { ifMatch: version })).rejects.toMatchObject({
        code: "version_mismatch",
        status: 412,
      });
      expect(await client.addRecipient({ form_id, email: "a+b/c@example.com" })).toEqual({
        data: ["a+b/c@example.com"],
      });
      expect(await client.removeRecipient({ form_id, email: "a+b/c@example.com" })).toEqual({ data: [] });
      const image = await client.uploadImage({
        form_id,
        use: "after_submit_logo",
        file: new File([png], "My Logo.png"),
      });
      expect([image.mime_type, image.name, image.width]).toEqual(["image/png", "my-logo", 1]);
      expect(await client.deleteImage({ form_id, image_id: image.id })).toEqual({ id: image.id, deleted: true });
      expect((await client.sendTestEmail({ form_id, kind: "auto_response", to: "me@example.com" })).to).toBe(
        "me@example.com",
      );
      const webhook = await client.createWebhook({ form_id, url: "https://example.com/hook" });
      const { id: webhook_id } = webhook;
      await client.addRecipient({ form_id, email: "owner@example.com" });
      const submission = await backend.submit(form_id, { fields: { email: "ann@example.com", city: "a,b" } });
      await backend.submit(form_id, { fields: { email: "bob@example.com" } });
      await backend.tick();
      const submission_id = submission.id;
      expect((await client.listFields({ form_id })).submissions_read).toBe(2);
      expect((await client.listWebhooks({ form_id })).data).toHaveLength(1);
      expect((await client.retrieveWebhook({ form_id, webhook_id })).url).toBe(webhook.url);
      expect((await client.updateWebhook({ form_id, webhook_id, description: "CRM" })).description).toBe("CRM");
      expect((await client.rotateWebhookSecret({ form_id, webhook_id })).secret).not.toBe(webhook.secret);
      expect((await client.testWebhook({ form_id, webhook_id })).delivered).toBe(true);
      expect(
        (await client.listDeliveries({ form_id, webhook_id, status: "succeeded", before: "2030-01-01T00:00:00Z" }))
          .data,
      ).toHaveLength(2);
      expect((await client.retrieveDelivery({ form_id, webhook_id, submission_id })).code).toBe("SUCCESS");
      expect((await client.redeliver({ form_id, webhook_id, submission_id })).status).toBe("pending");
      expect(await client.backfillWebhook({ form_id, webhook_id })).toMatchObject({ has_more: false });
      expect(await client.recoverDeliveries({ form_id, webhook_id, since: new Date().toISOString() })).toEqual({
        recovered: 0,
        has_more: false,
      });
      const mails = await client.listEmails({ form_id, kind: "owner_email", submission_id });
      const email_id = mails.data[0]?.id ?? "";
      expect(await client.resendEmail({ form_id, email_id })).toMatchObject({ id: email_id, status: "pending" });
      expect(await client.listEmails({ form_id, status: "failed" })).toEqual({
        data: [],
        has_more: false,
        next_cursor: null,
      });
      const found = await client.listSubmissions({
        form_id,
        read: false,
        country: ["unknown", "DE"],
        field: { email: { in: ["ann@example.com", "cy@example.com"] }, city: { eq: "a,b", exists: true } },
        order: "asc",
      });
      expect(found.data.map(({ id }) => id)).toEqual([submission_id]);
      expect((await client.listAllSubmissions({ form_id: [form_id, form_id], q: "BOB" })).data).toHaveLength(1);
      expect(await client.countSubmissions({ form_id, group_by: "read" })).toEqual({
        count: 2,
        exact: true,
        groups: [{ key: "false", count: 2 }],
        other: 0,
      });
      const statistics = await client.retrieveStatistics({ form_id, interval: "month", time_zone: "Europe/Berlin" });
      expect(statistics.totals).toMatchObject({ submissions: 2, completion_rate: null });
      const tried = await client.backtestSpam({ form_id, spam: { words: ["graz"] }, limit: 10 });
      expect(tried).toMatchObject({ checked: 2, caught: 0, unavailable: expect.arrayContaining(["captcha"]) });
      const file = await client.exportSubmissions({ form_id, format: "ndjson" });
      expect(file.headers.get("content-type")).toContain("ndjson");
      expect((await file.text()).trim().split("\n")).toHaveLength(2);
      expect((await client.retrieveSubmission({ form_id, submission_id })).read).toBe(false);
      expect((await client.updateSubmission({ form_id, submission_id, read: true, spam: true })).read).toBe(true);
      expect((await client.updateSubmission({ form_id, submission_id, spam: false, deliver: true })).spam).toBe(false);
      expect(await client.bulkSubmissions({ form_id, action: "mark_unread", ids: [submission_id, "gone"] })).toEqual({
        changed: 1,
        not_found: ["gone"],
      });
      const { id: note_id } = await client.createNote({ form_id, submission_id, text: "Call her." });
      expect((await client.listNotes({ form_id, submission_id })).data).toHaveLength(1);
      expect((await client.deleteNote({ form_id, submission_id, note_id })).deleted).toBe(true);
      const { id: reply_id } = await client.createSavedReply({ name: "Thanks", text: "Hello" });
      expect((await client.updateSavedReply({ reply_id, text: "Hi" })).text).toBe("Hi");
      expect((await client.listSavedReplies()).data).toHaveLength(1);
      expect((await client.deleteSavedReply({ reply_id })).deleted).toBe(true);
      const message = await client.sendMessage({ form_id, submission_id, text: "At nine." });
      expect((await client.listMessages({ form_id, submission_id })).data.map(({ id }) => id)).toEqual([message.id]);
      expect((await client.addSuppression({ email: "cy@example.com" })).reason).toBe("manual");
      expect((await client.listSuppressions({ email: "cy@example.com" })).data).toHaveLength(1);
      expect((await client.removeSuppression({ email: "cy@example.com" })).deleted).toBe(true);
      await backend.teams.update("default", { sender_domains: ["sender.invalid"] });
      const asked = client.retrieveSenderDomain({ domain: "other.invalid" });
      await expect(asked).rejects.toMatchObject({ code: "not_found" });
      expect((await client.getSpamModel({})).active).toBe(false);
      expect((await client.forgetSpamModel({})).forgotten).toBe(true);
      expect(await client.bulkMatchingSubmissions({ form_id, action: "mark_unread", status: "spam" })).toEqual({
        matched: 0,
        changed: 0,
        has_more: false,
        next_cursor: null,
      });
      expect((await client.deleteSubmission({ form_id, submission_id })).deleted).toBe(true);
      expect((await client.exportDataSubject({ email: "bob@example.com" })).data).toHaveLength(1);
      expect((await client.eraseDataSubject({ email: "bob@example.com" })).erased.submissions).toBe(1);
      expect((await client.deleteWebhook({ form_id, webhook_id })).deleted).toBe(true);
      expect((await client.deleteForm({ form_id })).deleted).toBe(true);
      expect([...called].sort()).toEqual(rows.map(([name]) => name).sort());
    } finally {
      server.close();
      await backend.close();
    }
  });
});

it("a missing option is named, as where a variable is not set", () => {
  expect(() => createClient({ token: "t" } as never)).toThrow(
    new TypeError("[form-backend] createClient: option `baseUrl` must be the URL where the backend is mounted"),
  );
  expect(() => createClient({ baseUrl: "https://app.example.com/forms", token: undefined as never })).toThrow(
    /option `token` must be an API key/,
  );
});

describe("paths", () => {
  it("carry whatever a parameter holds, encoded", async () => {
    const { client, requests } = answered(list);
    await client.retrieveForm({ form_id: "a/b?c#d%" });
    expect(requests[0]?.url).toBe("https://app.example.com/forms/v1/forms/a%2Fb%3Fc%23d%25");
  });

  it.each(["", ".", "..", undefined])(
    "never become another path: %j is refused before anything is sent",
    async (form_id) => {
      const { client, requests } = answered(list);
      const thrown = await client.deleteForm({ form_id: form_id as string }).catch((error: unknown) => error);
      expect(thrown).toMatchObject({ code: "invalid_parameter", param: "form_id" });
      expect(requests).toEqual([]);
    },
  );
});

describe("errors", () => {
  it("are the ApiError of the server, with everything that the body said", async () => {
    const { client } = inProcess();
    const thrown = await client
      .updateForm({ form_id: (await client.createForm({ name: "A" })).id, name: "" })
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ServersApiError);
    expect(ApiError).toBe(ServersApiError);
    expect(thrown).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      code: "invalid_parameter",
      param: "name",
      message: "`name` must not be empty.",
      request_id: expect.stringMatching(/^req_[0-9a-f]{24}$/),
    });
  });

  it("name the scopes that are missing", async () => {
    const { backend, client } = inProcess({ token: () => key });
    const { key } = await backend.keys.create({ name: "k", scopes: ["forms:read"] });
    await expect(client.createForm({ name: "A" })).rejects.toMatchObject({
      code: "insufficient_scope",
      required: ["forms:write"],
    });
    await expect(client.exportSubmissions({ form_id: "x" })).rejects.toMatchObject({ code: "insufficient_scope" });
  });

  it.each([
    [502, "<h1>Bad gateway</h1>", "unavailable"],
    [404, "nothing here", "not_found"],
    [413, "", "payload_too_large"],
    [200, "<h1>Welcome to the hotel's network</h1>", "unavailable"],
  ])("of something in between: %i %j is %s", async (status, text, code) => {
    const { client } = answered(() => new Response(text, { status, headers: { "content-type": "text/html" } }));
    const thrown = (await client.createForm({ name: "A" }).catch((error: unknown) => error)) as ApiError;
    expect([thrown.code, thrown.message]).toEqual([
      code,
      `POST https://app.example.com/forms/v1/forms was answered ${status}.`,
    ]);
  });

  it("of a newer service keep their message under the nearest code", async () => {
    const { client } = answered(failure(409, "a_code_of_tomorrow"));
    await expect(client.createForm({ name: "A" })).rejects.toMatchObject({ status: 409, message: "No." });
  });

  it("of the network are `unavailable`, with their cause", async () => {
    const cause = new TypeError("fetch failed");
    const { client } = answered(() => {
      throw cause;
    });
    const thrown = (await client.createForm({ name: "A" }).catch((error: unknown) => error)) as ApiError;
    expect([thrown.code, thrown.message]).toEqual([
      "unavailable",
      "POST https://app.example.com/forms/v1/forms got no response.",
    ]);
  });
});

describe("tries again", () => {
  afterEach(() => void vi.useRealTimers());

  /** Settles a call while time runs as fast as it can; answers how long it took. */
  async function timed<T>(call: () => Promise<T>): Promise<{ ms: number; value: T | ApiError }> {
    vi.useFakeTimers();
    const start = Date.now();
    const settled = call().catch((error: unknown) => error as ApiError);
    await vi.runAllTimersAsync();
    return { value: await settled, ms: Date.now() - start };
  }

  it.each([
    [429, "rate_limited"],
    [429, "scan_concurrency"],
    [503, "unavailable"],
  ])("a GET answered %i %s, after the seconds of Retry-After", async (status, code) => {
    const { client, requests } = answered(failure(status, code, { "retry-after": "7" }), failure(status, code), list);
    const { ms, value } = await timed(() => client.listForms());
    expect(value).toMatchObject({ data: [] });
    expect([requests.length, ms]).toEqual([3, 7_000 + 1_000]);
  });

  it("after the date of Retry-After", async () => {
    vi.useFakeTimers({ now: 0 });
    const { client } = answered(failure(503, "unavailable", { "retry-after": "Thu, 01 Jan 1970 00:00:20 GMT" }), list);
    expect((await timed(() => client.listForms())).ms).toBe(20_000);
  });

  it("three times, or as often as `retries` says, and throws the last error", async () => {
    const busy = failure(429, "rate_limited", { "retry-after": "1" });
    const { client, requests } = answered(busy);
    expect((await timed(() => client.listForms())).value).toMatchObject({
      code: "rate_limited",
      headers: { "retry-after": "1" },
    });
    expect(requests).toHaveLength(4);
    let tries = 0;
    const once = createClient({
      baseUrl: "https://x.example.com",
      token: "t",
      retries: 0,
      fetch: async () => {
        tries++;
        return busy();
      },
    });
    await timed(() => once.listForms());
    expect(tries).toBe(1);
  });

  it("also where there was no answer, with the token of then", async () => {
    const seen: (string | null)[] = [];
    let n = 0;
    const client = createClient({
      baseUrl: "https://app.example.com",
      token: () => `token-${++n}`,
      fetch: async (request) => {
        seen.push(request.headers.get("authorization"));
        if (seen.length === 1) throw new TypeError("fetch failed");
        return list();
      },
    });
    await timed(() => client.listForms());
    expect(seen).toEqual(["Bearer token-1", "Bearer token-2"]);
  });

  it("nothing that is asked to wait more than a minute", async () => {
    const { client, requests } = answered(failure(503, "unavailable", { "retry-after": "61" }));
    await timed(() => client.listForms());
    expect(requests).toHaveLength(1);
  });

  it("nothing but a GET, and no other error", async () => {
    const writing = answered(failure(503, "unavailable", { "retry-after": "1" }));
    await timed(() => writing.client.createForm({ name: "A" }));
    await timed(() => writing.client.deleteForm({ form_id: "x" }));
    expect(writing.requests).toHaveLength(2);
    const wrong = answered(failure(500, "internal_error"));
    await timed(() => wrong.client.listForms());
    expect(wrong.requests).toHaveLength(1);
  });

  it("nothing once it is aborted, also while it waits", async () => {
    const { client, requests } = answered(failure(503, "unavailable", { "retry-after": "30" }));
    const controller = new AbortController();
    vi.useFakeTimers();
    const call = client.listForms({}, { signal: controller.signal });
    const reason = new Error("enough");
    while (vi.getTimerCount() === 0) await vi.advanceTimersByTimeAsync(0);
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(requests).toHaveLength(1);
  });

  it("nothing once it is aborted while the answer is read", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const { client, requests } = answered(() => {
      const failed = failure(503, "unavailable", { "retry-after": "30" })();
      const body = failed.body!.pipeThrough(
        new TransformStream({
          transform(chunk, through) {
            controller.abort(reason);
            through.enqueue(chunk);
          },
        }),
      );
      return new Response(body, failed);
    });
    await expect(client.listForms({}, { signal: controller.signal })).rejects.toBe(reason);
    expect(requests).toHaveLength(1);
  });
});

describe("all()", () => {
  async function collected<T, R>(list: AsyncIterable<T>, pick: (item: T) => R): Promise<R[]> {
    const items: R[] = [];
    for await (const item of list) items.push(pick(item));
    return items;
  }

  it("goes through every page of forms and of submissions, by cursor", async () => {
    const { backend, client, requests } = inProcess();
    for (let i = 0; i < 7; i++) await backend.forms.create({ name: `F${i}` });
    const names = await collected(client.listForms.all({ limit: 3 }), ({ name }) => name);
    expect(names.sort()).toEqual(["F0", "F1", "F2", "F3", "F4", "F5", "F6"]);
    expect(requests).toHaveLength(3);
    const form = await backend.forms.create({ name: "S" });
    for (let i = 0; i < 5; i++) await backend.submit(form.id, { fields: { i: String(i) } });
    const values = async (list: AsyncIterable<{ fields: { value: string }[] }>) =>
      collected(list, ({ fields }) => fields[0]?.value);
    expect(await values(client.listSubmissions.all({ form_id: form.id, order: "asc", limit: 2 }))).toEqual([
      "0",
      "1",
      "2",
      "3",
      "4",
    ]);
    expect(await values(client.listAllSubmissions.all({ limit: 2 }))).toEqual(["4", "3", "2", "1", "0"]);
  });

  it("goes through every page of deliveries, by time", async () => {
    const { backend, client } = inProcess();
    const { id: form_id } = await backend.forms.create({ name: "F" });
    const { id: webhook_id } = await client.createWebhook({ form_id, url: "https://example.com/hook" });
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await backend.submit(form_id, { fields: { i: String(i) } })).id);
    await backend.tick();
    const seen = await collected(
      client.listDeliveries.all({ form_id, webhook_id, limit: 2 }),
      ({ submission_id }) => submission_id,
    );
    expect(seen.sort()).toEqual(ids.sort());
  });

  it("asks for 100 at a time where nothing is said, and for nothing more once it is left", async () => {
    const page = () => Response.json({ data: [{ id: "a" }, { id: "b" }], has_more: true, next_cursor: "next" });
    const { client, requests } = answered(page);
    for await (const form of client.listForms.all()) if (form.id === "b") break;
    expect(requests.map(({ url }) => new URL(url).search)).toEqual(["?limit=100"]);
  });
});

describe("types", () => {
  it("know every input and answer", async () => {
    const { client } = inProcess();
    const wrong = async () => {
      // @ts-expect-error a limit is a number
      await client.listForms({ limit: "1" });
      // @ts-expect-error a form has a name
      await client.createForm({ active: true });
      // @ts-expect-error no such field
      await client.updateForm({ form_id: "x", colour: "red" });
      // @ts-expect-error which form?
      await client.retrieveForm();
      // @ts-expect-error read-only
      await client.updateForm({ form_id: "x", avatar: "📬" });
      // @ts-expect-error not a list in pages
      client.listWebhooks.all({ form_id: "x" });
      // @ts-expect-error no such method
      await client.makeForm({ name: "A" });
    };
    expect(wrong).toBeTypeOf("function");
    const { submissions } = await client.createForm({ name: "A" });
    submissions.all_time satisfies number;
  });
});
