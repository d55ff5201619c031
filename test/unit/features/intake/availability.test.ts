import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import de from "../../../../src/texts/locales/de.ts";
import { harness } from "../../../_support/backend.ts";

const NOW = "2026-11-22T10:00:00.000Z";
const HOUR = 3_600_000;

async function world(settings: object, more: object = {}) {
  const clock = testClock(Date.parse(NOW));
  const b = harness({ clock, rateLimit: false, locales: [de], ...more });
  const { id } = await b.forms.create({ name: "Workshop", settings });
  const later = (ms: number) => clock.set(clock.now() + ms);
  const all = async () => (await b.call("GET", `/v1/forms/${id}/submissions?status=all&limit=100`)).json.data;
  const left = async () => (await b.call("GET", `/f/${id}/availability`, { key: null })).json.left;
  return { b, id, later, all, left };
}

const at = (ms: number): string => new Date(Date.parse(NOW) + ms).toISOString();

describe("a form with times", () => {
  it("takes posts from the first moment to the one before the last", async () => {
    const { b, id, later } = await world({ availability: { opens_at: at(HOUR), closes_at: at(2 * HOUR) } });
    expect(await b.post(id, "a=1")).toMatchObject({ status: 403, json: { error: { code: "form_closed" } } });
    later(HOUR - 1);
    expect((await b.post(id, "a=1")).status).toBe(403);
    later(1);
    expect((await b.post(id, "a=1")).status).toBe(200);
    later(HOUR - 1);
    expect((await b.post(id, "a=1")).status).toBe(200);
    later(1);
    expect(await b.post(id, "a=1")).toMatchObject({
      status: 403,
      json: { title: "This form is closed", message: "This form does not accept submissions at this time." },
    });
  });

  it("says when it opens, in the visitor's language, or the owner's message", async () => {
    const { b, id } = await world({ availability: { opens_at: at(HOUR) } });
    expect((await b.post(id, "a=1")).json.message).toBe("This form opens on 22 November 2026 at 11:00 UTC.");
    const german = await b.post(id, "a=1", { "accept-language": "de" });
    expect(german.json.message).toMatch(/^Dieses Formular öffnet am 22\. November 2026 um 11:00 UTC\.$/);
    await b.forms.update(id, { settings: { availability: { message: "Come back <b>tomorrow</b>." } } });
    const page = await b.call("POST", `/f/${id}`, {
      key: null,
      headers: { accept: "text/html", "content-type": "application/x-www-form-urlencoded" },
      body: "a=1",
    });
    expect(page.status).toBe(403);
    expect(page.text).toContain("Come back &lt;b&gt;tomorrow&lt;/b&gt;.");
  });

  it("answers the repeat of a post that was stored in time", async () => {
    const { b, id, later } = await world({ availability: { closes_at: at(HOUR) } });
    const headers = { "idempotency-key": "one" };
    const first = await b.post(id, "a=1", headers);
    later(2 * HOUR);
    expect(await b.post(id, "a=1", headers)).toMatchObject({
      status: 200,
      json: { submission_id: first.json.submission_id },
    });
  });

  it("refuses an end before the start, and a time that is none, at the setting", async () => {
    const { b, id } = await world({});
    const patch = (availability: object) => b.call("PATCH", `/v1/forms/${id}/settings`, { body: { availability } });
    expect(await patch({ opens_at: at(HOUR), closes_at: at(HOUR) })).toMatchObject({
      status: 400,
      json: { error: { param: "availability.closes_at" } },
    });
    expect(await patch({ opens_at: "tomorrow" })).toMatchObject({
      status: 400,
      json: { error: { param: "availability.opens_at" } },
    });
    expect((await patch({ opens_at: "2026-12-01T09:00:00+01:00" })).json.availability.opens_at).toBe(
      "2026-12-01T08:00:00.000Z",
    );
  });
});

describe("a form with a limit", () => {
  it("takes as many posts as it has places, however many come at once", async () => {
    const { b, id, all } = await world({ availability: { limit: 50 } });
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => b.post(id, `a=${i}`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ status, json }) => `${status} ${json.error.code}`))).toEqual(
      new Set(["403 form_full"]),
    );
    expect(await all()).toHaveLength(50);
  });

  it("never sells a place twice where two processes share the store", async () => {
    const storage = memoryStorage();
    const { b, id, all } = await world({ availability: { limit: 10 } }, { storage });
    const other = harness({ storage, rateLimit: false });
    const posts = Array.from({ length: 60 }, (_, i) => (i % 2 ? b : other).post(id, `a=${i}`));
    const answers = await Promise.all(posts);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(await all()).toHaveLength(10);
  });

  it("does not count spam, and frees the place of a deleted submission and of one that is marked as spam", async () => {
    const { b, id, left } = await world({ availability: { limit: 2, public: true }, spam: { words: ["pills"] } });
    expect((await b.post(id, "a=pills")).status).toBe(200);
    expect(await left()).toBe(2);
    const one = (await b.post(id, "a=1")).json.submission_id;
    const two = (await b.post(id, "a=2")).json.submission_id;
    expect((await b.post(id, "a=3")).json.error.code).toBe("form_full");
    await b.call("DELETE", `/v1/forms/${id}/submissions/${one}`);
    expect((await b.post(id, "a=3")).status).toBe(200);
    await b.call("PATCH", `/v1/forms/${id}/submissions/${two}`, { body: { spam: true } });
    expect((await b.post(id, "a=4")).status).toBe(200);
    expect(await left()).toBe(0);
  });

  it("counts a submission that a person takes out of spam", async () => {
    const { b, id } = await world({ availability: { limit: 2 }, spam: { words: ["pills"] } });
    expect((await b.post(id, "a=1")).status).toBe(200);
    const spam = (await b.post(id, "a=pills")).json.submission_id;
    await b.call("PATCH", `/v1/forms/${id}/submissions/${spam}`, { body: { spam: false } });
    expect((await b.post(id, "a=2")).json.error.code).toBe("form_full");
  });

  it("keeps the place of a submission that waits for its confirmation, until that is too late", async () => {
    const double_opt_in = { enabled: true, expires: "1_days" };
    const { b, id, later } = await world({ availability: { limit: 1 }, double_opt_in });
    expect((await b.post(id, "email=ann%40example.com")).status).toBe(200);
    expect((await b.post(id, "email=bob%40example.com")).json.error.code).toBe("form_full");
    later(24 * HOUR + 1);
    expect((await b.post(id, "email=bob%40example.com")).status).toBe(200);
  });

  it("refuses before it asks for corrections", async () => {
    const { b, id } = await world({ availability: { limit: 1 } });
    await b.forms.update(id, { validation: { rules: [{ field: "a", checks: [{ type: "required" }] }] } });
    expect((await b.post(id, "a=1")).status).toBe(200);
    expect((await b.post(id, "b=1")).json.error.code).toBe("form_full");
  });

  it("refuses a limit below the number of submissions that there are, at the setting", async () => {
    const { b, id } = await world({});
    for (const n of [1, 2, 3]) await b.post(id, `a=${n}`);
    const patch = (limit: number | null) =>
      b.call("PATCH", `/v1/forms/${id}/settings`, { body: { availability: { limit } } });
    const refused = await patch(2);
    expect(refused).toMatchObject({ status: 400, json: { error: { param: "availability.limit" } } });
    expect(refused.json.error.message).toContain("at least 3");
    expect((await patch(3)).status).toBe(200);
    expect((await b.post(id, "a=4")).json.error.code).toBe("form_full");
    expect((await patch(null)).status).toBe(200);
    expect((await b.post(id, "a=4")).status).toBe(200);
  });

  it("stores the others of a batch where one of them conflicts for another reason", async () => {
    const { b, id, all } = await world({ availability: { limit: 5 }, unique: { fields: ["email"] } });
    const answers = await Promise.all(["a", "b", "a", "c"].map((name) => b.post(id, `email=${name}%40example.com`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 422]);
    expect(await all()).toHaveLength(3);
  });
});

describe("the public availability", () => {
  it("tells the times and the places left, and is not there where the form keeps them to itself", async () => {
    const { b, id, later } = await world({ availability: { limit: 2, opens_at: at(HOUR) } });
    const path = `/f/${id}/availability`;
    const asked = () => b.call("GET", path, { key: null });
    expect(await asked()).toMatchObject({ status: 404, json: { error: { code: "not_found" } } });
    await b.forms.update(id, { settings: { availability: { public: true } } });
    expect((await asked()).json).toEqual({ open: false, opens_at: at(HOUR), closes_at: null, left: 2 });
    later(HOUR);
    const open = await asked();
    expect(open.json).toEqual({ open: true, opens_at: at(HOUR), closes_at: null, left: 2 });
    expect(open.headers.get("cache-control")).toBe("public, max-age=10");
    await b.post(id, "a=1");
    await b.post(id, "a=2");
    expect((await asked()).json).toMatchObject({ open: false, left: 0 });
    await b.forms.update(id, { settings: { availability: { limit: null } } });
    expect((await asked()).json).toMatchObject({ open: true, left: null });
    expect((await b.call("GET", "/f/nothere/availability", { key: null })).status).toBe(404);
  });

  it("says the same in words of the visitor's language where a page asks for them", async () => {
    const { b, id, later } = await world({ availability: { limit: 2, opens_at: at(HOUR), public: true } });
    const said = async (language: string) => {
      const response = await b.call("GET", `/f/${id}/availability?text`, {
        key: null,
        headers: { "accept-language": language },
      });
      expect(response.headers.get("vary")).toMatch(/accept-language/i);
      return response.json.text;
    };
    expect(await said("en")).toMatch(/^This form opens on /);
    later(HOUR);
    expect(await said("en")).toBe("2 places left");
    expect(await said("de")).toBe("Noch 2 Plätze frei");
    await b.post(id, "a=1");
    expect(await said("en")).toBe("1 place left");
    expect(await said("de")).toBe("Noch 1 Platz frei");
    await b.post(id, "a=2");
    expect(await said("en")).toBe("All places of this form are taken.");
    await b.forms.update(id, { settings: { availability: { message: "Come next year." } } });
    expect(await said("fr")).toBe("Come next year.");
    await b.forms.update(id, { settings: { availability: { limit: null } } });
    expect(await said("en")).toBe("");
  });
});

it("a form without limit and unique values asks the store nothing about them", async () => {
  const storage = memoryStorage();
  const asked: string[] = [];
  const get: typeof storage.get = (collection, ids) => {
    asked.push(...ids);
    return storage.get(collection, ids);
  };
  const commit: typeof storage.commit = (writes) => {
    asked.push(...writes.map(({ id }) => id));
    return storage.commit(writes);
  };
  const b = harness({ rateLimit: false, storage: { ...storage, get, commit } });
  const plain = await b.forms.create({ name: "Plain" });
  const limited = await b.forms.create({
    name: "Limited",
    settings: { availability: { limit: 9 }, unique: { fields: ["email"] } },
  });
  const ofSettings = async (form: string): Promise<string[]> => {
    asked.length = 0;
    expect((await b.post(form, { email: "ann@example.com" })).status).toBe(200);
    return [...new Set(asked.filter((id) => /^(places|unique):/.test(id)).map((id) => id.split(":")[0] ?? ""))];
  };
  expect(await ofSettings(plain.id)).toEqual([]);
  expect((await ofSettings(limited.id)).sort()).toEqual(["places", "unique"]);
});
