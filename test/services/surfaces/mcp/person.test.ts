import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { connect, running, textIn } from "../../../_support/mcp.ts";

interface Answered {
  readonly resultType: string;
  readonly requestState: string;
  readonly isError?: boolean;
  readonly structuredContent?: object;
}

describe("a client that can show a form", { timeout: 60_000 }, () => {
  it("asks the person before something is destroyed, and only that call is confirmed", async () => {
    const b = await running();
    const { id: form_id } = await b.forms.create({ name: "Contact" });
    const ids: string[] = [];
    for (const a of ["1", "2"]) ids.push((await b.post(form_id, { a })).json.submission_id as string);
    const questions: string[] = [];
    let answer: { action: string; content?: object } = { action: "decline" };
    const agent = await connect(b.url, b.key, "auto", (message) => {
      questions.push(message);
      return answer;
    });
    const refused = await agent.call("delete_submission", { form_id, submission_id: ids[0] });
    expect(textIn(refused)).toMatch(/`confirm` was not given by the person/);
    expect((await b.submissions.list(form_id)).data).toHaveLength(2);
    answer = { action: "accept", content: { confirm: true } };
    const done = await agent.call("delete_submission", { form_id, submission_id: ids[0] });
    expect(done.structuredContent).toEqual({ id: ids[0], deleted: true });
    expect(questions).toHaveLength(2);
    expect(questions[1]).toContain(ids[0]);
    expect((await b.submissions.list(form_id)).data.map(({ id }) => id)).toEqual([ids[1]]);
  });

  it("shows the person a mail before it goes out: all that it says, and who gets it", async () => {
    const b = await running();
    const { id: form_id } = await b.forms.create({ name: "Contact" });
    const { id: submission_id } = await b.submit(form_id, {
      fields: { email: "ann@example.com", other: "bob@example.com" },
    });
    const questions: string[] = [];
    const agent = await connect(b.url, b.key, "auto", (message) => {
      questions.push(message);
      return { action: "decline" };
    });
    const text = `${"We open at nine. ".repeat(20)}The last word.`;
    await agent.call("reply_to_submission", { form_id, submission_id, text, to: ["bob@example.com"] });
    await agent.call("reply_to_submission", { form_id, submission_id, text: "x".repeat(5_000) });
    expect(questions).toHaveLength(2);
    expect(questions[0]).toContain(text);
    expect(questions[0]).toContain("to bob@example.com");
    expect(questions[1]).toContain("x… (5000 characters)");
    await b.tick();
    expect(b.mails).toEqual([]);
  });

  it("can't bring back the seal of another call", async () => {
    const b = await running();
    const { id: form_id } = await b.forms.create({ name: "Contact" });
    const ids: string[] = [];
    for (const a of ["1", "2"]) ids.push((await b.post(form_id, { a })).json.submission_id as string);
    const raw = (submission_id: string | undefined, more: object = {}) =>
      fetch(b.url, {
        method: "POST",
        headers: {
          authorization: `Bearer ${b.key}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": "delete_submission",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: {
            name: "delete_submission",
            arguments: { form_id, submission_id },
            _meta: {
              "io.modelcontextprotocol/protocolVersion": "2026-07-28",
              "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
              "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
            },
            ...more,
          },
        }),
      }).then((response) => response.json() as Promise<{ result: Answered }>);
    const first = await raw(ids[0]);
    expect(first.result.resultType).toBe("input_required");
    const { requestState } = first.result;
    const inputResponses = { confirm: { action: "accept", content: { confirm: true } } };
    for (const state of [
      requestState,
      "",
      "1.x",
      requestState.replace(/^\d+/, (time: string) => String(Number(time) + 1)),
    ]) {
      const other = await raw(ids[1], { requestState: state, inputResponses });
      expect(other.result.isError, state).toBe(true);
    }
    b.clock.advance(11 * 60_000);
    expect((await raw(ids[0], { requestState, inputResponses })).result.isError).toBe(true);
    expect((await b.submissions.list(form_id)).data).toHaveLength(2);
    const again = await raw(ids[0]);
    const done = await raw(ids[0], { requestState: again.result.requestState, inputResponses });
    expect(done.result.structuredContent).toEqual({ id: ids[0], deleted: true });
  });
});

describe("a client that goes away in the middle", { timeout: 60_000 }, () => {
  it("leaves a server that answers the next one", async () => {
    const storage = memoryStorage();
    let gate: Promise<void> | undefined;
    let reached: () => void = () => {};
    let pages = 0;
    const slow = Object.assign(Object.create(storage), {
      page: async (...args: Parameters<typeof storage.page>) => {
        if (args[0] === "submissions") {
          pages++;
          reached();
          await gate;
        }
        return storage.page(...args);
      },
    });
    const b = await running({ storage: slow });
    const { id: form_id } = await b.forms.create({ name: "Contact" });
    for (let i = 0; i < 30; i++) await b.post(form_id, { text: "x".repeat(5_000) });
    let open: () => void = () => {};
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const asked = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const message = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "list_submissions", arguments: { form_id } },
    };
    const gone = request(b.url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${b.key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
      },
    });
    const closed = new Promise<void>((resolve) => gone.once("close", resolve));
    gone.on("error", () => {});
    gone.end(JSON.stringify(message));
    await asked;
    gone.destroy();
    await closed;
    open();
    gate = undefined;
    const agent = await connect(b.url, b.key);
    const before = pages;
    expect((await agent.call("list_submissions", { form_id, limit: 5 })).structuredContent.data).toHaveLength(5);
    expect(pages - before).toBeLessThanOrEqual(2);
  });
});
