import { describe, expect, it, vi } from "vitest";
import type { z } from "zod";
import type { Operation } from "../../../../src/core/http/route.ts";
import { ApiError } from "../../../../src/index.ts";
import { routes } from "../../../../src/surfaces/api/table.ts";
import {
  callOf,
  httpOnly,
  inProcessOnly,
  type Pair,
  pairs,
  type RowName,
  type World,
  world,
} from "../../../_support/api-pairs.ts";

// Nothing here asks the name servers of this machine.
vi.mock("../../../../src/lib/sender-dns/dns.ts", () => ({
  dnsOf: () => ({ texts: async () => [], addresses: async () => [] }),
}));

const rowOf = (name: RowName): Operation => routes[name];

async function overHttp(w: World, name: RowName, { query = "", body }: Pair, ids: Partial<World> = {}) {
  const { form, webhook, submission, image, email, note, reply } = { ...w, ...ids };
  const named: Record<string, string> = {
    form_id: form,
    webhook_id: webhook,
    submission_id: submission,
    image_id: image,
    email_id: email,
    note_id: note,
    reply_id: reply,
    email: "owner@example.com",
    domain: "sender.test",
  };
  const { method, path } = rowOf(name);
  const sent = typeof body === "function" ? (body as (w: World) => unknown)({ ...w, ...ids }) : body;
  const isForm = sent instanceof FormData;
  const response = await w.b.handle(
    new Request(`${w.b.baseUrl}${path.replace(/:(\w+)/g, (_, param: string) => named[param] ?? "")}${query}`, {
      method,
      headers: {
        authorization: `Bearer ${w.b.key}`,
        ...(sent !== undefined && !isForm && { "content-type": "application/json" }),
      },
      body: sent === undefined ? null : isForm ? sent : JSON.stringify(sent),
    }),
  );
  return { status: response.status, json: (await response.json()) as never };
}

/** Ids and secrets that each of two backends makes up for itself. */
const comparable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replace(/https?:[^"]*\/(f|files)\/[^"]*/g, "link")
      .replace(/("name":"_sender-proof\.[^"]*","value":)"[^"]*"/g, '$1"…"')
      .replace(/"(id|form_id|webhook_id|submission_id|secret|next_cursor|avatar)":"[^"]*"/g, '"$1":"…"'),
  );

const names = Object.keys(pairs) as (keyof typeof pairs)[];

describe("the table and the calls in process", () => {
  it("have the same operations, but for those that the lists give a reason for", async () => {
    expect(Object.keys(routes).sort()).toEqual([...names, ...Object.keys(httpOnly)].sort());
    const { b } = await world();
    const known = new Set([...names.map(callOf), ...Object.keys(inProcessOnly)]);
    // What the test harness adds to a backend.
    for (const name of ["call", "post", "keyWith", "answerWebhooks", "clock.now", "clock.advance"]) known.add(name);
    expect(callsOf(b).sort()).toEqual([...known].sort());
  });

  it.each(names)("%s answers alike on both", async (name) => {
    const pair = pairs[name];
    const [here, there] = [await world(), await world()];
    const { status, json } = await overHttp(there, name, pair);
    expect(status).toBe(rowOf(name).status ?? 200);
    const answered = await pair.host(here);
    // In process an answer may have more, which HTTP's schema takes away.
    const schema = pair.as ? undefined : (rowOf(name).response as z.ZodType);
    const seen = schema ? schema.parse(answered) : answered;
    expect(comparable(seen)).toEqual(comparable(pair.as ? pair.as(json) : json));
  });

  it.each(names.filter((name) => rowOf(name).path.includes(":form_id")))("%s refuses alike on both", async (name) => {
    const w = await world();
    const none = { form: "nothing" };
    const { status, json } = await overHttp(w, name, pairs[name], none);
    const error = await pairs[name].host({ ...w, ...none }).then(
      () => null,
      (thrown: unknown) => thrown as ApiError,
    );
    const { code, message, param } = (json as { error: { code: string; message: string; param?: string } }).error;
    expect(error).toBeInstanceOf(ApiError);
    expect([error?.status, error?.code, error?.message, error?.param]).toEqual([status, code, message, param]);
  });

  it.each<[string, (w: World) => Promise<unknown>, keyof typeof pairs, Partial<Pair>]>([
    ["a wrong leaf", ({ b, form }) => b.forms.update(form, { name: "" }), "updateForm", { body: { name: "" } }],
    [
      "an unknown leaf",
      ({ b, form }) => b.webhooks.update(form, "x", { nonsense: 1 } as never),
      "updateWebhook",
      { body: { nonsense: 1 } },
    ],
    ["a wrong query", ({ b }) => b.forms.list({ limit: 101 }), "listForms", { query: "?limit=101" }],
    [
      "an unknown parameter",
      ({ b, form }) => b.submissions.count(form, { nonsense: 1 } as never),
      "countSubmissions",
      { query: "?nonsense=1" },
    ],
    [
      "a moment too far back",
      ({ b, form, webhook }) => b.deliveries.recover(form, webhook, { since: "2025-01-01T00:00:00Z" }),
      "recoverDeliveries",
      { body: { since: "2025-01-01T00:00:00Z" } },
    ],
    ["no address", ({ b }) => b.dataSubjects.erase({ email: "x" }), "eraseDataSubject", { body: { email: "x" } }],
    [
      "a file that is no image",
      ({ b, form }) => b.forms.uploadImage(form, { file: new Uint8Array(3), use: "after_submit_logo" }),
      "uploadImage",
      {
        body: () => {
          const parts = new FormData();
          parts.append("use", "after_submit_logo");
          parts.append("file", new Blob([new Uint8Array(3)]), "x.png");
          return parts;
        },
      },
    ],
  ])("%s is the same error on both", async (_, host, name, sent) => {
    const w = await world();
    const { status, json } = await overHttp(w, name, { ...pairs[name], query: "", body: undefined, ...sent });
    const { code, message, param } = (json as { error: { code: string; message: string; param?: string } }).error;
    await expect(host(w)).rejects.toMatchObject({ status, code, message, param });
  });
});

describe("a test mail in process", () => {
  it("goes where it is told, and needs to be told where the form has no recipient", async () => {
    const { b, form } = await world();
    const before = b.mails.length;
    expect(await b.forms.sendTestEmail(form, { kind: "auto_response", to: "me@example.com" })).toMatchObject({
      kind: "auto_response",
      to: "me@example.com",
    });
    expect(b.mails.slice(before).map(({ to }) => to.address)).toEqual(["me@example.com"]);
    await b.forms.removeRecipient(form, "owner@example.com");
    await expect(b.forms.sendTestEmail(form)).rejects.toMatchObject({ code: "invalid_parameter", param: "to" });
  });
});

/** Every function of an object and of the objects in it, as dot paths. */
function callsOf(value: object, at = ""): string[] {
  return Object.entries(value).flatMap(([name, member]) => {
    if (typeof member === "function") return [at + name];
    const isGroup = typeof member === "object" && member !== null && !Array.isArray(member);
    return isGroup ? callsOf(member as object, `${at}${name}.`) : [];
  });
}
