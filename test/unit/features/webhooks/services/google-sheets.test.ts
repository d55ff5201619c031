import { describe, expect, it, onTestFinished } from "vitest";
import { testClock } from "../../../../../src/surfaces/testing/clock.ts";
import english from "../../../../../src/texts/visitors/en.json";
import {
  deleteColumn,
  FILE,
  fileUrl,
  googleSheets,
  keyFile,
  overQuota,
  records,
  type Tab,
  tab,
  unshared,
} from "../../../../_support/destinations/google.ts";
import { fault, submitted } from "../../submissions/_submissions.ts";

async function withSheet(options: { tabs?: Tab[]; url?: string; config?: object } = {}) {
  const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  const google = await googleSheets(clock.now, options.tabs);
  onTestFinished(google.close);
  const b = await submitted({ clock, integrations: google.options, plans: { unlimited: { webhooks_per_form: 10 } } });
  await b.teams.update("default", { owner: { email: "owner@example.com" } });
  const path = `/v1/forms/${b.id}/webhooks`;
  const { json } = await b.call("POST", path, {
    body: { url: options.url ?? fileUrl, format: "google_sheets", config: options.config ?? {} },
  });
  const hook = json.id as string;
  const sheet = google.tabs[0] as Tab;
  const delivery = (id: string) => b.deliveries.get(b.id, hook, id);
  const now = async (fields: Record<string, string>): Promise<string> => (await b.submit(b.id, { fields })).id;
  return Object.assign(b, { google, hook, now, at: `${path}/${hook}`, path, made: json, sheet, delivery });
}

describe("a row in Google Sheets", () => {
  it("goes under headers that the first one makes", async () => {
    const b = await withSheet();
    const id = await b.submitted({ name: "Ada", tag: "one" });
    await b.tick();
    expect(b.sheet.rows[0]).toEqual(["submission_id", "created_at", "name", "tag"]);
    expect(records(b.sheet)).toEqual([
      { submission_id: id, created_at: expect.stringMatching(/^2026-01-01T/), name: "Ada", tag: "one" },
    ]);
    expect(await b.delivery(id)).toMatchObject({ status: "succeeded", code: "SUCCESS" });
  });

  it("goes with the others that are due, in the order of creation", async () => {
    const b = await withSheet();
    const ids: string[] = [];
    for (let n = 0; n < 100; n++) ids.push(await b.now({ n: `${n}` }));
    await b.tick();
    expect(records(b.sheet).map(({ submission_id }) => submission_id)).toEqual(ids);
    expect(b.google.got.filter(({ path }) => path.endsWith(":append"))).toHaveLength(1);
  });

  it("stays text, whatever it looks like, and is cut where a cell ends", async () => {
    const b = await withSheet();
    const long = { length: 55_000, half: "a\ud800b" };
    await b.now({ f: '=IMPORTXML("https://evil.example")', n: "007", long: "x".repeat(long.length), half: long.half });
    await b.tick();
    const [row] = records(b.sheet);
    expect(row).toMatchObject({ f: '=IMPORTXML("https://evil.example")', n: "007" });
    expect(String(row?.["long"])).toHaveLength(50_000);
    expect(String(row?.["long"]).endsWith("…")).toBe(true);
    expect(String(row?.["half"]).isWellFormed()).toBe(true);
  });

  it("finds its columns by their headers, when somebody renames, moves, adds and deletes some", async () => {
    const b = await withSheet({ tabs: [tab("Orders", [["Notes", " Email ", "SUBMISSION_ID"]])] });
    const first = await b.submitted({ email: "a@example.com" });
    await b.tick();
    expect(b.sheet.rows).toEqual([
      ["Notes", " Email ", "SUBMISSION_ID", "created_at"],
      ["", "a@example.com", first, expect.any(String)],
    ]);
    // The id moves to the front, the email is renamed, the time deleted.
    b.sheet.rows = [
      ["SUBMISSION_ID", "Notes", "Mail"],
      [first, "called", "a@example.com"],
    ];
    const second = await b.submitted({ email: "b@example.com" });
    await b.clock.advance(10_000);
    expect(b.sheet.rows[0]).toEqual(["SUBMISSION_ID", "Notes", "Mail", "created_at", "email"]);
    expect(b.sheet.rows[1]).toEqual([first, "called", "a@example.com"]);
    expect(b.sheet.rows[2]).toEqual([second, "", "", expect.any(String), "b@example.com"]);
  });

  it("stays under its headers where the first column is empty", async () => {
    const b = await withSheet({ tabs: [tab("Sheet1", [["", "submission_id", "created_at", "name"]])] });
    const id = await b.submitted({ name: "Ada" });
    await b.tick();
    expect(b.sheet.rows[1]).toEqual(["", id, expect.any(String), "Ada", ""]);
  });

  it("has room for more than 26 columns", async () => {
    const b = await withSheet();
    await b.submitted(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`field${n}`, `${n}`])));
    await b.tick();
    expect(records(b.sheet)[0]).toMatchObject({ field39: "39" });
    expect(b.sheet.columns).toBe(42);
  });

  it("has room after somebody has deleted a column", async () => {
    const b = await withSheet();
    await b.submitted(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`field${n}`, `${n}`])));
    await b.tick();
    // By then the sheet is known with all of its columns.
    await b.clock.advance(11 * 60_000);
    await b.submitted({ field0: "more" });
    await b.clock.advance(10_000);
    deleteColumn(b.sheet, 5);
    const id = await b.submitted({ field0: "again", field3: "back" });
    await b.clock.advance(10_000);
    expect(await b.delivery(id)).toMatchObject({ status: "succeeded", attempt: 1 });
    expect(records(b.sheet)[2]).toMatchObject({ submission_id: id, field0: "again", field3: "back" });
    expect(b.sheet.columns).toBe(42);
  });

  it("is not written twice when the answer was lost, nor when it is sent again", async () => {
    const b = await withSheet();
    b.google.fate(({ path }) => (path.endsWith(":append") ? "lost" : undefined));
    const id = await b.submitted({ name: "Ada" });
    await b.tick();
    expect(await b.delivery(id)).toMatchObject({ status: "retrying", code: "ERROR_WEBHOOK_CONNECTION" });
    b.google.fate(() => undefined);
    await b.clock.advance(60_000);
    expect(await b.delivery(id)).toMatchObject({ status: "succeeded", attempt: 2 });
    await b.deliveries.redeliver(b.id, b.hook, id);
    await b.clock.advance(60_000);
    expect(await b.delivery(id)).toMatchObject({ status: "succeeded", attempt: 3 });
    expect(records(b.sheet)).toHaveLength(1);
  });

  it("is one row of a submission that changed before it was written", async () => {
    const b = await withSheet();
    await b.webhooks.update(b.id, b.hook, { events: ["submission.created", "submission.updated"] });
    const id = await b.now({ name: "Ada" });
    const other = await b.now({ name: "Bea" });
    await b.submissions.update(b.id, id, { labels: ["vip"] });
    await b.submissions.update(b.id, id, { labels: ["vip", "new"] });
    await b.tick();
    expect(records(b.sheet)).toMatchObject([
      { submission_id: id, name: "Ada" },
      { submission_id: other, name: "Bea" },
    ]);
    expect(b.google.got.filter(({ path }) => path.endsWith(":append"))).toHaveLength(1);
    expect(await b.jobs.list({ form_id: b.id, kind: "webhook", status: "succeeded" })).toHaveLength(4);
  });

  it("is brought up to date with a hundred others in one request", async () => {
    const b = await withSheet();
    const ids: string[] = [];
    for (let n = 0; n < 100; n++) ids.push(await b.now({ n: `${n}` }));
    await b.tick();
    await b.webhooks.update(b.id, b.hook, { events: ["submission.created", "submission.updated"] });
    await b.clock.advance(10_000);
    for (const row of b.sheet.rows.slice(1)) row[2] = "old";
    const from = b.google.got.length;
    await b.submissions.bulk(b.id, { action: "label", ids, label: "vip" });
    await b.clock.advance(10_000);
    expect(records(b.sheet).map(({ n }) => n)).toEqual(ids.map((_, n) => `${n}`));
    // A delivery that is read late, on a busy machine, is in the next request.
    const writes = b.google.got.slice(from).filter(({ method }) => method !== "GET");
    expect(writes.length).toBeLessThanOrEqual(3);
    for (const status of ["retrying", "failed"] as const)
      expect(await b.jobs.list({ form_id: b.id, kind: "webhook", status })).toEqual([]);
  });

  it("waits a minute when the quota is used up, and then goes", async () => {
    const b = await withSheet();
    b.google.fate(({ path }) => (path.includes("values") ? overQuota : undefined));
    const id = await b.submitted({ name: "Ada" });
    const from = b.clock.now();
    await b.tick();
    expect(await b.delivery(id)).toMatchObject({ status: "retrying", http_status: 429 });
    b.google.fate(() => undefined);
    await b.clock.advance(59_000);
    expect(records(b.sheet)).toEqual([]);
    await b.clock.advance(30_000);
    expect(records(b.sheet)).toHaveLength(1);
    expect(b.google.got.at(-1)?.at).toBeGreaterThanOrEqual(from + 60_000);
  });

  it("gets a new token when its own is lost", async () => {
    const b = await withSheet();
    await b.submitted({ name: "1" });
    await b.tick();
    b.google.loseTokens();
    await b.submitted({ name: "2" });
    await b.clock.advance(10_000);
    expect(records(b.sheet).map(({ name }) => name)).toEqual(["1", "2"]);
    expect(b.google.got.filter(({ path }) => path === "/token")).toHaveLength(2);
  });
});

describe("what a person has to mend", () => {
  it("pauses the webhook, and tells the owner in words", async () => {
    const b = await withSheet();
    b.google.fate(({ path }) => (path === "/token" ? undefined : unshared));
    const id = await b.submitted({ name: "Ada" });
    await b.tick();
    const { message } = await b.delivery(id);
    expect(message).toBe(
      `The spreadsheet is not shared with ${keyFile.client_email}. Open it in Google Sheets, choose Share, and add this address as an editor.`,
    );
    expect(await b.delivery(id)).toMatchObject({ status: "failed", http_status: 403 });
    expect(await b.webhooks.get(b.id, b.hook)).toMatchObject({ enabled: false });
    expect(b.mails.at(-1)?.subject).toContain("was turned off");
    expect(b.mails.at(-1)?.text).toContain(`not shared with ${keyFile.client_email}`);
  });
});

describe("the settings of Google Sheets", () => {
  it("show the address to share with, and no key", async () => {
    const b = await withSheet({ config: { sheet: "Sheet1", credentials: JSON.stringify(keyFile) } });
    expect(b.made.config).toEqual({
      sheet: "Sheet1",
      credentials: { client_email: keyFile.client_email, private_key: "set" },
    });
    const { json } = await b.call("PATCH", b.at, { body: { config: b.made.config } });
    expect(json.config).toEqual(b.made.config);
    expect(JSON.stringify(await b.webhooks.get(b.id, b.hook))).not.toContain("BEGIN");
    expect((await b.call("POST", `${b.at}/test`)).json).toMatchObject({ delivered: true, http_status: 200 });
  });

  it("take a key with escaped line ends", async () => {
    const escaped = { ...keyFile, private_key: keyFile.private_key.replaceAll("\n", "\\n") };
    const b = await withSheet({ config: { credentials: escaped } });
    expect((await b.call("POST", `${b.at}/test`)).json).toMatchObject({ delivered: true });
  });

  it.each([
    ["a document", { url: `https://docs.google.com/document/d/${FILE}/edit` }, "url"],
    ["a published copy", { url: "https://docs.google.com/spreadsheets/d/e/2PACX-1vabc/pubhtml" }, "url"],
    ["no address", { url: "my sheet" }, "url"],
    ["no URL", { url: undefined }, "url"],
    ["an OAuth client", { config: { credentials: { installed: { client_id: "x" } } } }, "config.credentials"],
    ["a user's key file", { config: { credentials: { type: "authorized_user" } } }, "config.credentials"],
    ["no JSON", { config: { credentials: "forms@example.com" } }, "config.credentials"],
    [
      "half a key",
      { config: { credentials: { ...keyFile, private_key: keyFile.private_key.slice(0, 400) } } },
      "config.credentials.private_key",
    ],
    ["a member of another format", { config: { body: "{}" } }, "config.body"],
  ])("refuse %s", async (_, wrong, param) => {
    const b = await withSheet();
    const body = { url: `${fileUrl}?x`, format: "google_sheets", config: {}, ...wrong };
    expect(fault(await b.call("POST", b.path, { body }))).toEqual([400, "invalid_parameter", param]);
  });

  it.each([
    ["the sheet of a gid", `${fileUrl}#gid=7`, {}, "Second"],
    ["a named sheet", `${fileUrl}#gid=7`, { sheet: "first" }, "First"],
    ["the first sheet", `${fileUrl}?usp=sharing`, {}, "First"],
  ])("choose %s", async (_, url, config, title) => {
    const b = await withSheet({ tabs: [tab("First"), tab("Second", [], 7)], url, config });
    await b.submitted({ name: "Ada" });
    await b.tick();
    expect(b.google.tabs.filter(({ rows }) => rows.length > 0).map((one) => one.title)).toEqual([title]);
  });

  it("say in a test what is wrong", async () => {
    const b = await withSheet({ url: `${fileUrl}#gid=99` });
    const { json } = await b.call("POST", `${b.at}/test`);
    expect(json).toMatchObject({ delivered: false, message: expect.stringContaining("no sheet (tab) “gid=99”") });
  });

  it("say in a test that a file is no spreadsheet, and that a sheet was deleted", async () => {
    const b = await withSheet({ tabs: [tab("Orders"), tab("Old", [], 7)], url: `${fileUrl}#gid=7` });
    expect((await b.call("POST", `${b.at}/test`)).json).toMatchObject({ delivered: true });
    b.google.tabs.pop();
    expect((await b.call("POST", `${b.at}/test`)).json).toMatchObject({
      delivered: false,
      message: expect.stringContaining("no sheet (tab) “gid=7”"),
    });
    b.google.fate(({ path }) =>
      path === "/token"
        ? undefined
        : {
            status: 400,
            json: {
              error: {
                code: 400,
                status: "FAILED_PRECONDITION",
                message: "This operation is not supported for this document",
              },
            },
          },
    );
    const { json } = await b.call("POST", `${b.at}/test`);
    expect([json.delivered, json.message]).toEqual([false, english.destination.google_not_a_sheet]);
  });
});
