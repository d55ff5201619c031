import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ApiError } from "../../../../src/errors.ts";
import { createClient } from "../../../../src/surfaces/client/index.ts";
import { serveMcp } from "../../../../src/surfaces/mcp/stdio.ts";
import { harness } from "../../../_support/backend.ts";
import { textIn } from "../../../_support/mcp.ts";

/** The server over streams, as a client of 2025 speaks with it; `answers` are for questions to the person. */
async function stdio(
  b: ReturnType<typeof harness>,
  key = b.key,
  more: { readOnly?: boolean; elicits?: (message: string) => object | null; until?: Promise<void> } = {},
) {
  const input = new PassThrough();
  const output = new PassThrough();
  const said: string[] = [];
  const client = createClient({
    baseUrl: b.baseUrl,
    token: key,
    retries: 0,
    fetch: (request) => {
      request.headers.set("form-backend-sees", "agents");
      return b.fetch(request);
    },
  }) as unknown as Record<string, (input: object, options: object) => Promise<unknown>>;
  const stop = new AbortController();
  const ended = serveMcp({
    async call(name, args, options) {
      if (name !== "me") await more.until;
      return client[name]?.(args, options) ?? Promise.reject(new Error(name));
    },
    readOnly: more.readOnly ?? false,
    signal: stop.signal,
    say: (message) => void said.push(message),
    input,
    output,
  });
  const waiting = new Map<number, (message: { result: never; error?: { message: string } }) => void>();
  let buffer = "";
  output.on("data", (chunk) => {
    buffer += String(chunk);
    for (let at = buffer.indexOf("\n"); at >= 0; at = buffer.indexOf("\n")) {
      const message = JSON.parse(buffer.slice(0, at));
      buffer = buffer.slice(at + 1);
      if (message.method === "elicitation/create") {
        const result = more.elicits ? more.elicits(message.params.message) : { action: "cancel" };
        if (result) input.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, result })}\n`);
      } else waiting.get(message.id)?.(message);
    }
  });
  let last = 0;
  const ask = (method: string, params: object) =>
    new Promise<{ result: never; error?: { message: string } }>((resolve) => {
      const id = ++last;
      waiting.set(id, resolve);
      input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  onTestFinished(() => {
    stop.abort();
    return ended.catch(() => {});
  });
  return {
    ended,
    input,
    said,
    stop: () => stop.abort(),
    async open() {
      const { result } = await ask("initialize", {
        protocolVersion: "2025-11-25",
        clientInfo: { name: "t", version: "1" },
        capabilities: more.elicits ? { elicitation: {} } : {},
      });
      input.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
      return result as { serverInfo: { name: string }; instructions: string };
    },
    list: async () =>
      ((await ask("tools/list", {})).result as { tools: { name: string }[] }).tools.map(({ name }) => name),
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
    tool: async (name: string, args: object = {}): Promise<any> =>
      (await ask("tools/call", { name, arguments: args })).result,
  };
}

describe("MCP on standard input and output", () => {
  it("lists and calls tools under the scopes of the key, and keeps fields from agents", async () => {
    const b = harness();
    onTestFinished(() => b.close());
    const { id: form_id } = await b.forms.create({
      name: "Contact",
      settings: { fields: { ssn: { agents: "omit" } } },
    });
    await b.post(form_id, { name: "Ann", ssn: "123-45" });
    const agent = await stdio(b, await b.keyWith(["forms:read", "submissions:read"]));
    expect((await agent.open()).serverInfo.name).toBe("form-backend");
    const names = await agent.list();
    expect(names).toContain("list_submissions");
    expect(names).not.toContain("create_form");
    const listed = await agent.tool("list_submissions", { form_id, read: false, field: { name: { eq: "Ann" } } });
    expect(listed.structuredContent.data[0].untrusted.fields).toEqual([{ key: "name", value: "Ann" }]);
    expect(textIn(await agent.tool("search_submissions", { q: "123" }))).toMatch(/^invalid_parameter: .*\nField: q\n/);
    expect(textIn(await agent.tool("create_form", { name: "X" }))).toMatch(/^insufficient_scope/);
    expect(textIn(await agent.tool("get_form", { form_id: "missing" }))).toMatch(/^form_not_found/);
    expect(agent.said).toEqual([]);
  });

  it("ends with its input, and at a signal", async () => {
    const b = harness();
    onTestFinished(() => b.close());
    const one = await stdio(b);
    await one.open();
    one.input.end();
    await expect(one.ended).resolves.toBeUndefined();
    const two = await stdio(b);
    await two.open();
    two.stop();
    await expect(two.ended).resolves.toBeUndefined();
  });

  it("answers what was asked before its input ended, unless that waits for the client", async () => {
    const b = harness();
    onTestFinished(() => b.close());
    const { id: form_id } = await b.forms.create({ name: "Contact" });
    let go = (): void => {};
    const until = new Promise<void>((resolve) => {
      go = resolve;
    });
    const piped = await stdio(b, b.key, { until });
    await piped.open();
    const listed = piped.tool("list_forms");
    const counted = piped.tool("count_submissions", { form_id });
    piped.input.end();
    await new Promise((resolve) => setTimeout(resolve, 20));
    go();
    expect((await listed).structuredContent.data[0].id).toBe(form_id);
    expect((await counted).structuredContent.count).toBe(0);
    await piped.ended;

    const webhook = await b.webhooks.create(form_id, { url: "https://hooks.example.com/a" });
    const asking = await stdio(b, b.key, {
      elicits() {
        asking.input.end();
        return null;
      },
    });
    await asking.open();
    void asking.tool("delete_webhook", { form_id, webhook_id: webhook.id });
    await asking.ended;
    expect(await b.webhooks.list(form_id)).toHaveLength(1);

    const listening = await stdio(b);
    await listening.open();
    listening.input.write(`${JSON.stringify({ jsonrpc: "2.0", id: "s", method: "subscriptions/listen" })}\n`);
    listening.input.end();
    await listening.ended;
  });

  it("is refused at once with a wrong key", async () => {
    const b = harness();
    onTestFinished(() => b.close());
    const { ended } = await stdio(b, "fb_live_wrong");
    await expect(ended).rejects.toMatchObject({ code: "invalid_key" } satisfies Partial<ApiError>);
  });

  it("asks the person before it destroys, where the client can", async () => {
    const b = harness();
    onTestFinished(() => b.close());
    const { id: form_id } = await b.forms.create({ name: "Contact" });
    const submission_id = (await b.post(form_id, { a: "b" })).json.submission_id as string;
    const questions: string[] = [];
    let answer: object = { action: "decline" };
    const agent = await stdio(b, b.key, {
      elicits(message) {
        questions.push(message);
        return answer;
      },
    });
    await agent.open();
    expect(textIn(await agent.tool("delete_submission", { form_id, submission_id }))).toMatch(/Field: confirm/);
    answer = { action: "accept", content: { confirm: false } };
    expect(textIn(await agent.tool("delete_submission", { form_id, submission_id }))).toMatch(/Field: confirm/);
    expect((await b.submissions.list(form_id)).data).toHaveLength(1);
    answer = { action: "accept", content: { confirm: true } };
    expect((await agent.tool("delete_submission", { form_id, submission_id })).structuredContent).toEqual({
      id: submission_id,
      deleted: true,
    });
    expect(questions).toHaveLength(3);
    expect(questions[0]).toContain(submission_id);
  });

  it("offers with readOnly nothing that changes", async () => {
    const b = harness();
    onTestFinished(() => b.close());
    const agent = await stdio(b, b.key, { readOnly: true });
    await agent.open();
    expect((await agent.list()).filter((name) => !/^(list|get|search|count|export|backtest)_/.test(name))).toEqual([]);
  });
});
