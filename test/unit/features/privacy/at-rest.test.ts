import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fsBlob } from "../../../../src/drivers/blob/fs.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { formData, json } from "../../../_support/blobs.ts";
import { encodings, privateForm, SSN } from "../../../_support/privacy.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";

/** Every file below a folder with its bytes. */
function bytesBelow(folder: string): Map<string, Buffer> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  return new Map(paths.filter((path) => statSync(path).isFile()).map((path) => [path, readFileSync(path)]));
}

/** The files that hold a value in any of the ways in which bytes may hold it. */
const holding = (folder: string, value: string): string[] =>
  [...bytesBelow(folder)]
    .filter(([, bytes]) => encodings(value).some((text) => bytes.includes(text)))
    .map(([path]) => path.slice(folder.length + 1));

const FILE = "the content of a file that nobody may read ".repeat(5_000);
const MARKER = "a file that nobody may read";
const FILE_NAME = "ann-secret-diagnosis.txt";

for (const store of ["encrypt", "hash", "drop", "plain"]) {
  const leaves = store === "plain" ? "leaves its" : "leaves no";
  describe(`a field under ${store}`, () => {
    it(`${leaves} plain value in SQLite's file, its journal, the files or the log, while open and afterwards`, async () => {
      const folder = temporaryDirectory();
      const log: string[] = [];
      const say = (...words: unknown[]): void => void log.push(words.map(String).join(" "));
      const { b, id } = await privateForm(
        { store },
        {
          storage: sqliteStorage({ path: join(folder, "forms.db") }),
          blob: fsBlob({ dir: join(folder, "files") }),
          logger: { debug: say, info: say, warn: say, error: say },
          files: { scan: async () => "ok" as const },
        },
        {
          self_email_notification: { recipients: ["owner@example.com"] },
          auto_response: { enabled: true },
          validation: { rules: [{ field: "name", checks: [{ type: "required" }] }] },
        },
      );
      const policy = { store: store as "hash" };
      await b.forms.update(id, { settings: { fields: { cv: policy, email: policy } } });
      await b.call("POST", `/v1/forms/${id}/webhooks`, { body: { url: "https://hooks.example.com/a" } });
      const email = "ann.unheard-of@private.example";
      const values = [SSN, email, MARKER, FILE_NAME];
      const fields: Parameters<typeof formData>[0] = [
        ["name", "a name in clear"],
        ["ssn", SSN],
        ["email", email],
        ["_replyto", email],
        ["_subject", `About ${SSN}`],
        ["cv", [FILE_NAME, FILE]],
      ];
      const headers = {
        ...json,
        referer: `https://example.com/page?ssn=${encodeURIComponent(SSN)}`,
        "idempotency-key": "k",
      };
      expect((await b.post(id, formData(fields), headers)).status).toBe(200);
      // The repeat of a post, one that is refused, one of a form that stores none, and attempts that fail.
      expect((await b.post(id, formData(fields), headers)).status).toBe(200);
      expect((await b.post(id, formData(fields.slice(1)), json)).status).toBe(422);
      b.answerWebhooks(500);
      await b.forms.update(id, { storage: { store_submissions: false } });
      expect((await b.post(id, formData(fields), json)).status).toBe(200);
      await b.tick();
      await b.call("POST", "/v1/data-subjects/export", { body: { email } });
      await b.forms.update(id, { name: "Another" });

      const found = () => values.filter((value) => holding(folder, value).length > 0);
      // The search finds the value in the place that has it.
      const expected = store === "plain" ? values : [];
      expect(found()).toEqual(expected);
      expect(holding(folder, "a name in clear").length).toBeGreaterThan(0);
      await b.close();
      expect(found()).toEqual(expected);
      expect(holding(folder, "a name in clear")).toEqual(["forms.db"]);
      for (const value of values) expect(log.join("\n")).not.toContain(value);
    });
  });
}

it("a deliveries' log, its rows and the mails and webhooks that wait carry no protected value", async () => {
  const storage = memoryStorage();
  const { b, id } = await privateForm(
    { store: "encrypt", webhook: "show", email: "show" },
    { storage },
    {
      self_email_notification: { recipients: ["owner@example.com"] },
    },
  );
  await b.call("POST", `/v1/forms/${id}/webhooks`, { body: { url: "https://hooks.example.com/a" } });
  b.answerWebhooks(500);
  await b.submit(id, { fields: { ssn: SSN } });
  const jobs = async () =>
    (await storage.page("jobs", { index: "all", equals: {}, order: "asc", limit: 100 })).map(({ value }) => value);
  expect(await jobs()).toHaveLength(2);
  expect(JSON.stringify(await jobs())).not.toContain(SSN);
  await b.tick();
  expect(JSON.stringify(await jobs())).not.toContain(SSN);
  // What went out does: the owner asked for it.
  expect(b.webhookCalls[0]?.body).toContain(SSN);
  expect(b.mails[0]?.text).toContain(SSN);
});

it("a form without policies stores what it stored before, and asks the store for nothing more", async () => {
  const storage = memoryStorage();
  const asked: string[] = [];
  const counting = {
    ...storage,
    get: (collection: string, ids: readonly string[]) => {
      asked.push(...ids);
      return storage.get(collection, ids);
    },
  };
  const { b, id } = await privateForm({}, { storage: counting });
  await b.forms.update(id, { settings: { fields: { ssn: null } } });
  await b.submit(id, { fields: { ssn: SSN } });
  asked.length = 0;
  const { id: made } = await b.submit(id, { fields: { ssn: SSN } });
  expect(asked).toEqual([]);
  const row = (await storage.get("submissions", [made])).get(made);
  expect(row?.value["fields"]).toEqual([{ key: "ssn", value: SSN }]);
  expect(row?.value).not.toHaveProperty("protected");
});
