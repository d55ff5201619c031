import { expect, it } from "vitest";
import { inbox } from "../../../../src/surfaces/inbox/index.ts";
import { httpReceiver } from "../../../_support/receivers.ts";
import { inboxHarness } from "./_inbox.ts";

const options = {
  redact: { fields: ["iban", "card_*"], value: ({ value }: { value: string }) => `…${value.slice(-2)}` },
};

it("keeps values back from every page and export, and from every question about them", async () => {
  const backend = inboxHarness(options);
  const form = await backend.forms.create({ name: "Contact" });
  await backend.webhooks.create(form.id, { url: "https://example.com/hook" });
  const fields = { name: "Ann", IBAN: "DE0012345678", card_number: "4111111111111234", city: "Rome" };
  const { id } = await backend.submit(form.id, { fields });
  await backend.tick();
  const ann = backend.as({});
  const deliveries = await ann.get(`/f/${form.id}/deliveries`);
  const job = /deliveries\/(msg_\w+)/.exec(deliveries.text)?.[1] ?? "";
  expect(job).not.toBe("");
  const at = `/f/${form.id}`;
  const pages = [
    at,
    "/all",
    ...["message", "raw", "spam", "delivery"].map((tab) => `${at}/s/${id}?tab=${tab}`),
    `${at}/deliveries/${job}`,
  ];
  for (const path of [...pages, ...["csv", "json", "ndjson"].map((format) => `${at}/export?format=${format}`)]) {
    const { status, text } = await ann.get(path);
    expect(status, path).toBe(200);
    expect(text, path).not.toMatch(/DE0012345678|4111111111111234/);
  }
  expect((await ann.get(`${at}/s/${id}`)).text).toContain("…34");
  expect((await ann.get(`${at}/export?format=json`)).text).toContain("…78");
  for (const query of ["q=DE00", "field[iban][starts_with]=DE", "field[card_x][exists]=true"]) {
    for (const path of [at, "/all", `${at}/export`, `${at}/bulk`]) {
      expect((await ann.get(`${path}?action=delete&all=1&${query}`)).status, `${path}?${query}`).toBe(400);
    }
    expect((await ann.post(`${at}/bulk?${query}`, { action: "delete", all: "1", confirm: "1" })).status).toBe(400);
  }
  expect((await ann.get(`${at}?field[city][eq]=Rome`)).text).toContain(id);
  expect((await backend.submissions.get(form.id, id)).values["IBAN"]).toBe("DE0012345678");
});

it("shows nothing of a submission where the host's function throws, or returns no text, and says so in the log", async () => {
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const logger = { debug() {}, info() {}, warn: log, error: log };
  const values: (() => unknown)[] = [
    () => {
      throw new Error("DE0012345678 leaked by its own message");
    },
    () => undefined,
    () => Promise.reject(new Error("DE0012345678 leaked later")),
  ];
  for (const value of values) {
    const backend = inboxHarness(
      { redact: { fields: ["iban"], value: value as () => string } },
      { logger: logger as never, rateLimit: false },
    );
    const form = await backend.forms.create({ name: "Contact" });
    const { id } = await backend.submit(form.id, {
      fields: { name: "Ann", iban: "DE0012345678", reply: "a@b.example" },
    });
    const ann = backend.as({});
    const at = `/f/${form.id}`;
    for (const path of [
      at,
      "/all",
      `${at}/s/${id}`,
      `${at}/s/${id}?tab=raw`,
      `${at}/export?format=csv`,
      `${at}/stats`,
    ]) {
      const { text } = await ann.get(path).catch((error: Error) => ({ text: error.message }));
      expect(text, path).not.toContain("DE0012345678");
    }
    for (const action of ["find", "export"]) {
      const { text } = await ann
        .post("/people", { email: "a@b.example", action })
        .catch((error: Error) => ({ text: error.message }));
      expect(text, action).not.toContain("DE0012345678");
    }
    expect((await ann.get(`${at}/s/${id}`)).text).toMatch(/<span class="value"[^>]*>…</);
    // The rest of the inbox goes on.
    expect((await ann.get("/")).status).toBe(303);
    expect((await ann.get("/shortcuts")).status).toBe(200);
  }
  expect(lines.join()).toContain("`redact.value` of the inbox threw an error for the field iban");
  expect(lines.join()).toContain("returned a promise");
  expect(lines.join()).not.toContain("DE0012345678");
});

it("keeps back the files of such fields, and a page's URL with a value of one", async () => {
  const backend = inboxHarness(options);
  const form = await backend.forms.create({ name: "Contact" });
  const body = new FormData();
  body.append("email", "a@b.example");
  body.append("iban", "DE0012345678");
  body.append("card_scan", new Blob(["number 4111"], { type: "text/plain" }), "scan-of-ann.txt");
  body.append("photo", new Blob(["hello"], { type: "text/plain" }), "photo-of-ann.txt");
  const referer = "https://example.com/?iban=DE0012345678";
  const { json } = await backend.post(form.id, body, { referer });
  const ann = backend.as({});
  const at = `/f/${form.id}`;
  const item = `${at}/s/${json.submission_id}`;
  const exports = ["csv", "json", "ndjson"].map((format) => `${at}/export?format=${format}`);
  const preview = `${at}/preview/notification?submission=${json.submission_id}&format=text`;
  const found = await ann.post("/people", { email: "a@b.example", action: "export" });
  for (const path of [at, item, `${item}?tab=raw`, ...exports, preview]) {
    const { text } = await ann.get(path);
    expect(text, path).not.toMatch(/scan-of-ann|DE0012345678/);
    if (path !== at) expect(text, path).toContain("photo-of-ann");
  }
  expect(found.text).toContain("photo-of-ann");
  expect(found.text).not.toMatch(/scan-of-ann|DE0012345678/);
});

it("keeps back what a receiver answers, which may be what it was sent", async () => {
  const { port, close } = await httpReceiver((req, res) => void req.pipe(res.writeHead(400)));
  const webhooks = { allowHttp: true, allowCidrs: ["127.0.0.0/8"] };
  for (const [more, isShown] of [
    [options, false],
    [{}, true],
  ] as const) {
    const backend = inboxHarness(more, { webhooks });
    const form = await backend.forms.create({ name: "Contact" });
    await backend.webhooks.create(form.id, { url: `http://127.0.0.1:${port}/` });
    const { id } = await backend.submit(form.id, { fields: { iban: "DE0012345678" } });
    await backend.tick();
    const ann = backend.as({});
    const tab = await ann.get(`/f/${form.id}/s/${id}?tab=delivery`);
    const [, job = ""] = /deliveries\/(msg_\w+)/.exec(tab.text) ?? [];
    const page = await ann.get(`/f/${form.id}/deliveries/${job}`);
    for (const { status, text } of [tab, page]) {
      expect(status).toBe(200);
      expect(text).toContain("400");
      expect(text.includes("DE0012345678")).toBe(isShown);
    }
  }
  await close();
});

it("is refused where it names nothing", () => {
  expect(() => inbox({ redact: { fields: [], value: () => "" } })).toThrow("option `redact.fields`");
  expect(() => inbox({ redact: { fields: ["a"] } as never })).toThrow("option `redact.value` must be a function");
});
