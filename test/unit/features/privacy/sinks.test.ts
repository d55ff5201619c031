import { describe, expect, it } from "vitest";
import type { Sink } from "../../../../src/model/field-policy.ts";
import { privateForm, SSN } from "../../../_support/privacy.ts";

const json = { accept: "application/json" };
const browser = { accept: "text/html" };
const hook = { url: "https://hooks.example.com/a" };
const mailed = { self_email_notification: { recipients: ["owner@example.com"] } };
const HASH = /^[0-9a-f]{64}$/;

async function posted(policy: object, more: object = {}, fields: object = {}) {
  const world = await privateForm(policy, {}, { ...mailed, ...more });
  await world.b.call("POST", `/v1/forms/${world.id}/webhooks`, { body: hook });
  const answer = await world.b.post(world.id, { name: "Ann", ssn: SSN, ...fields }, json);
  expect(answer.status).toBe(200);
  await world.b.tick();
  return { ...world, submission_id: answer.json.submission_id as string };
}
type World = Awaited<ReturnType<typeof posted>>;

/** All that one sink was given. */
const given: Record<Sink, (world: World) => Promise<string>> = {
  email: async ({ b }) => JSON.stringify(b.mails),
  webhook: async ({ b }) => JSON.stringify(b.webhookCalls),
  async export({ b, id }) {
    const texts = await Promise.all(
      ["csv", "json", "ndjson"].map((format) => b.call("GET", `/v1/forms/${id}/submissions/export?format=${format}`)),
    );
    return texts.map(({ text }) => text).join("\n");
  },
  async agents({ b, id, submission_id }) {
    const base = `/v1/forms/${id}/submissions`;
    const headers = { "form-backend-sees": "agents" };
    const reads = [base, "/v1/submissions", `${base}/${submission_id}`, `/v1/forms/${id}/fields`];
    const texts = [];
    for (const path of reads) texts.push((await b.call("GET", path, { headers })).text);
    const patched = await b.call("PATCH", `${base}/${submission_id}`, { headers, body: { read: true } });
    return [...texts, patched.text].join("\n");
  },
};

describe("a sink", () => {
  for (const [sink, read] of Object.entries(given)) {
    for (const store of ["plain", "encrypt"]) {
      it(`${sink}, of a field stored as ${store}, is shown, masked or not given it`, async () => {
        const shown = await read(await posted({ store, [sink]: "show" }));
        expect(shown).toContain(SSN);
        const masked = await read(await posted({ store, [sink]: "mask" }));
        expect(masked).not.toContain(SSN);
        expect(masked).toContain("••••-zq");
        const omitted = await read(await posted({ store, [sink]: "omit" }));
        for (const text of [SSN, "-zq", "ssn"]) expect(omitted).not.toContain(text);
        expect(omitted).toContain("Ann");
      });
    }

    it(`${sink} is given no URL and no subject with a value that is kept from it`, async () => {
      const { b, id } = await privateForm({ [sink]: "omit" }, {}, mailed);
      await b.call("POST", `/v1/forms/${id}/webhooks`, { body: hook });
      const referer = `https://example.com/?ssn=${SSN}`;
      const sent = { name: "Ann", ssn: SSN, _subject: `About ${SSN}` };
      const { json: answer } = await b.post(id, sent, { ...json, referer });
      await b.tick();
      const submission_id = answer.submission_id as string;
      expect(await read({ b, id, submission_id })).not.toContain(SSN);
      expect((await b.submissions.get(id, submission_id)).referer).toBe(referer);
    });

    it(`${sink} is given no value that was encrypted and whose policy is gone`, async () => {
      const { b, id, ...world } = await posted({ store: "encrypt" });
      await b.forms.update(id, { settings: { fields: { ssn: null } } });
      expect(await read({ b, id, ...world })).not.toContain(SSN);
      expect((await b.submissions.get(id, world.submission_id)).fields).toContainEqual({ key: "ssn", value: SSN });
    });
  }

  it("export of a deleted form leaves out what was encrypted, which its readers still see", async () => {
    const world = await posted({ store: "encrypt", export: "show" });
    await world.b.forms.delete(world.id);
    expect(await given.export(world)).not.toContain(SSN);
    expect((await world.b.submissions.get(world.id, world.submission_id)).fields[1]).toEqual({
      key: "ssn",
      value: SSN,
    });
  });

  it("the legacy API is given what exports are", async () => {
    for (const [policy, expected] of [
      [{ store: "encrypt" }, undefined],
      [{ store: "encrypt", export: "show" }, SSN],
      [{ export: "mask" }, "••••-zq"],
    ] as const) {
      const { b, id } = await posted(policy);
      const { json: page } = await b.call("GET", `/api/form/${id}/submissions`, {
        key: null,
        headers: { api_key: b.key },
      });
      const fields = page.submissions[0].fields as { key: string; value: string }[];
      expect(fields.find(({ key }) => key === "ssn")?.value).toBe(expected);
    }
  });
});

describe("a protected value", () => {
  it("is in clear for callers who may read submissions, over HTTP, in process and in events", async () => {
    const { b, id } = await privateForm();
    const heard: unknown[] = [];
    b.on("submission.created", ({ fields }) => void heard.push(fields));
    const fields = [
      { key: "ssn", value: SSN },
      { key: "ssn", value: "second" },
      { key: "ssn", value: "" },
    ];
    const made = await b.submit(id, { fields });
    expect(made.fields).toEqual(fields);
    expect(heard).toEqual([fields]);
    const path = `/v1/forms/${id}/submissions`;
    for (const one of [
      (await b.call("GET", path)).json.data[0],
      (await b.call("GET", `${path}/${made.id}`)).json,
      (await b.call("GET", "/v1/submissions")).json.data[0],
      (await b.call("PATCH", `${path}/${made.id}`, { body: { read: true } })).json,
      await b.submissions.get(id, made.id),
      (await b.submissions.list(id)).data[0],
    ]) {
      expect(one.fields).toEqual(fields);
      expect(one).not.toHaveProperty("protected");
    }
  });

  it("that is hashed is one HMAC for one value and form, and another for another", async () => {
    const { b, id } = await privateForm({ store: "hash" });
    const other = await b.forms.create({ name: "B", settings: { fields: { ssn: { store: "hash" } } } });
    const hash = async (form: string, ssn: string) => (await b.submit(form, { fields: { ssn } })).fields[0]?.value;
    const first = await hash(id, SSN);
    expect(first).toMatch(HASH);
    expect(await hash(id, SSN)).toBe(first);
    expect(await hash(id, "else")).not.toBe(first);
    expect(await hash(other.id, SSN)).not.toBe(first);
  });

  it("that is dropped is validated all the same and then gone", async () => {
    const rules = [
      { field: "ssn", checks: [{ type: "required" as const }, { type: "min_length" as const, value: "5" }] },
    ];
    const { b, id } = await privateForm({ store: "drop" }, {}, { validation: { rules } });
    const refused = await b.post(id, { name: "Ann", ssn: "1" }, json);
    expect([refused.status, Object.keys(refused.json.errors)]).toEqual([422, ["ssn"]]);
    expect((await b.post(id, { name: "Ann" }, json)).status).toBe(422);
    const { json: taken } = await b.post(id, { name: "Ann", ssn: SSN }, json);
    expect((await b.submissions.get(id, taken.submission_id)).fields).toEqual([{ key: "name", value: "Ann" }]);
    expect((await b.post(id, { ssn: SSN }, json)).status).toBe(200);
  });

  it("is not in the redirect's query, on the error page, nor told to the host's spam checks", async () => {
    const told: unknown[] = [];
    const check = (submission: unknown) => void told.push(submission);
    const redirect = { success_url: "https://example.com/ok", append_submission_to_url: true };
    const rules = [{ field: "name", checks: [{ type: "required" as const }] }];
    const more = { after_submit: { redirect }, validation: { rules } };
    for (const store of ["encrypt", "hash", "drop"]) {
      const { b, id } = await privateForm({ store }, { spam: { checks: [check as never] } }, more);
      const { headers } = await b.post(id, new URLSearchParams({ name: "Ann", ssn: SSN }), browser);
      expect(headers.get("location")).toBe("https://example.com/ok?name=Ann");
      const page = await b.post(id, new URLSearchParams({ name: "", ssn: SSN }), browser);
      expect(page.status).toBe(422);
      expect(page.text).not.toContain(SSN);
      expect(page.text).toContain('name="ssn"');
      // One whose name tells nothing is asked for again as well: hidden and empty it would be lost.
      await b.forms.update(id, { settings: { fields: { iban: { store: store as "hash" } } } });
      const sent = { name: "", iban: SSN, _subject: `About ${SSN}`, _next: "https://example.com/next" };
      const other = await b.post(id, new URLSearchParams(sent), browser);
      expect(other.text).toContain("https://example.com/next");
      expect(other.text).not.toContain(SSN);
      const [control = ""] = other.text.match(/<input[^>]*name="iban"[^>]*>/) ?? [];
      expect(control).not.toBe("");
      expect(control).not.toContain('type="hidden"');
    }
    expect(told).toHaveLength(3);
    expect(JSON.stringify(told)).not.toContain(SSN);
  });

  it("is not in the page's URL, also where that can't be decoded as a whole", async () => {
    const { b, id } = await privateForm();
    const referer = `https://example.com/page?off=50%&ssn=${SSN.replaceAll("-", "%2D")}`;
    const { json: answer } = await b.post(id, { ssn: SSN }, { referer });
    expect((await b.submissions.get(id, answer.submission_id)).referer).toBeNull();
  });

  it("is not in the address of the thank-you page, where the form's own page has it in its URL", async () => {
    const { b, id } = await privateForm();
    const held = async (referer: string) => {
      const { headers } = await b.post(id, new URLSearchParams({ ssn: SSN }), { ...browser, referer });
      const [payload = ""] = headers.get("location")?.split("/thanks/")[1]?.split(".") ?? [];
      return Buffer.from(payload, "base64url").toString();
    };
    expect(await held("https://example.com/page?ref=a")).toContain("example.com");
    expect(await held(`https://example.com/page?ssn=${SSN}`)).not.toContain(SSN);
  });

  it("is no address that answers or replies go to, also where a page sends it as `_replyto` or in its subject", async () => {
    const { b, id } = await privateForm(
      { store: "encrypt", email: "show" },
      {},
      {
        ...mailed,
        auto_response: { enabled: true },
      },
    );
    const policy = { store: "encrypt", email: "show" } as const;
    await b.forms.update(id, { settings: { fields: { email: policy } } });
    const email = "ann@private.example";
    await b.post(id, { email, name: "Ann", _replyto: email, _subject: `From ${email}` }, json);
    await b.tick();
    expect(b.mails.map(({ to }) => to.address)).toEqual(["owner@example.com"]);
    expect(b.mails[0]?.replyTo).toBeUndefined();
    expect(b.mails[0]?.subject).not.toContain(email);
    expect(b.mails[0]?.text).toContain(email);
  });

  it("of a plain email field that mails may not show is no Reply-To, and still gets the auto-response", async () => {
    const { b, id } = await privateForm({}, {}, { ...mailed, auto_response: { enabled: true } });
    await b.forms.update(id, { settings: { fields: { email: { email: "mask" } } } });
    const email = "ann@private.example";
    await b.post(id, { email, _replyto: email, name: "Ann" }, json);
    await b.tick();
    const owner = b.mails.find(({ to }) => to.address === "owner@example.com");
    expect(JSON.stringify(owner)).not.toContain(email);
    expect(owner?.replyTo).toBeUndefined();
    expect(b.mails.map(({ to }) => to.address)).toContain(email);
  });
});

describe("searching", () => {
  it("in an encrypted, hashed or dropped field is refused, and names the field", async () => {
    for (const store of ["encrypt", "hash", "drop"]) {
      const { b, id } = await privateForm({ store });
      await b.submit(id, { fields: { ssn: SSN, name: "Ann" } });
      const path = `/v1/forms/${id}/submissions`;
      const filters = ["eq", "contains", "starts_with", "in"].map((op) => [`field[ssn][${op}]=x`, `field[ssn][${op}]`]);
      filters.push(["field[name][eq]=Ann&field[ssn][exists]=true", "field[ssn][exists]"]);
      for (const [query, param] of filters) {
        for (const at of [path, `${path}/count`, `${path}/export`, "/v1/submissions"]) {
          const { status, json: answer } = await b.call("GET", `${at}?${query}`);
          expect([at, status, answer.error.code, answer.error.param]).toEqual([at, 400, "invalid_parameter", param]);
          expect(answer.error.message).toContain('"ssn"');
        }
        expect((await b.call("GET", `/v1/submissions?form_id=${id}&${query}`)).status).toBe(400);
      }
      const grouped = await b.call("GET", `${path}/count?group_by=field:ssn`);
      expect([grouped.status, grouped.json.error.param]).toEqual([400, "group_by"]);
      const legacy = await b.call("GET", `/api/form/${id}/submissions?filter=ssn_contains:x`, {
        key: null,
        headers: { api_key: b.key },
      });
      expect(legacy.status).toBe(400);
      expect((await b.call("GET", `${path}?field[name][eq]=Ann`)).json.data).toHaveLength(1);
      expect((await b.call("GET", `${path}?q=ann`)).json.data).toHaveLength(1);
      expect((await b.call("GET", `${path}?q=${encodeURIComponent(SSN)}`)).json.data).toHaveLength(0);
    }
  });
});

describe("a person's data", () => {
  it("is found and erased by an address that is encrypted or hashed", async () => {
    for (const store of ["encrypt", "hash"] as const) {
      const { b, id } = await privateForm({});
      await b.forms.update(id, { settings: { fields: { mail: { store } } } });
      const theirs = await b.submit(id, { fields: { mail: "Ann@private.example", name: "Ann" } });
      await b.submit(id, { fields: { mail: "bob@private.example" } });
      const body = { email: "Ann@private.example" };
      const { json: found } = await b.call("POST", "/v1/data-subjects/export", { body });
      expect(found.data.map((one: { id: string }) => one.id)).toEqual([theirs.id]);
      expect(found.data[0].fields[0].value).toMatch(store === "encrypt" ? /^Ann@private\.example$/ : HASH);
      const { json: receipt } = await b.call("POST", "/v1/data-subjects/erase", { body });
      expect(receipt.erased.submissions).toBe(1);
      expect((await b.submissions.list(id)).data).toHaveLength(1);
    }
  });
});

describe("an agent", () => {
  const headers = { "form-backend-sees": "agents" };

  for (const shown of ["mask", "omit"]) {
    it(`can't find out by a search, count or group what is kept from it: ${shown}`, async () => {
      const { b, id } = await posted({ store: "plain", agents: shown });
      const base = `/v1/forms/${id}/submissions`;
      const looks = [
        [`field[ssn][contains]=a`, "field[ssn][contains]"],
        [`field[ssn][exists]=true`, "field[ssn][exists]"],
        ["q=zq", "q"],
      ];
      for (const [query, param] of looks) {
        for (const path of [base, `${base}/count`, `${base}/export`, "/v1/submissions"]) {
          const answer = await b.call("GET", `${path}?${query}`, { headers });
          expect([answer.status, answer.json?.error.param], `${path}?${query}`).toEqual([400, param]);
          expect((await b.call("GET", `${path}?${query}`)).status).toBe(200);
        }
        const bulk = { headers, body: { action: "mark_read" } };
        expect((await b.call("POST", `${base}/bulk/matching?${query}`, bulk)).status).toBe(400);
      }
      const grouped = await b.call("GET", `${base}/count?group_by=field:ssn`, { headers });
      expect([grouped.status, grouped.json.error.param]).toEqual([400, "group_by"]);
      expect((await b.call("GET", `${base}?field[name][eq]=Ann`, { headers })).json.data).toHaveLength(1);
    });
  }

  it("learns nothing of it by trying a word as a spam setting", async () => {
    const { b, id } = await posted({ store: "plain", agents: "omit" });
    const tried = { body: { spam: { words: [SSN] } } };
    const path = `/v1/forms/${id}/spam/backtest`;
    expect((await b.call("POST", path, tried)).json.caught).toBe(1);
    expect((await b.call("POST", path, { ...tried, headers })).json.caught).toBe(0);
  });

  it("finds text in forms that keep nothing from it", async () => {
    const { b, id } = await posted({ store: "encrypt" });
    expect((await b.call("GET", `/v1/forms/${id}/submissions?q=ann`, { headers })).json.data).toHaveLength(1);
  });
});
