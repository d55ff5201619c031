import { describe, expect, it } from "vitest";
import { dialectNames } from "../../../../src/model/dialects.ts";
import { type Harness, harness } from "../../../_support/backend.ts";
import { privateForm, SSN } from "../../../_support/privacy.ts";

const SCRIPT = { accept: "application/json" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const ALIAS = "5f0c-old-id";
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const client = { ...SCRIPT, "formspree-client": "@formspree/core@4.0.0" };

async function make(form: object = {}, options: object = {}) {
  const b = harness({ dialects: [...dialectNames], rateLimit: false, logger: silent, ...options });
  const settings = { key: "contact", aliases: [ALIAS], ...(form as { settings?: object }).settings };
  const { id } = await b.forms.create({ name: "A", ...form, settings } as never);
  return { b, id };
}
const post = (b: Harness, path: string, body: string | object, headers: Record<string, string> = SCRIPT) =>
  b.call("POST", path, {
    key: null,
    body: typeof body === "string" ? body : new URLSearchParams(body as never).toString(),
    headers: { ...FORM, ...headers },
  });
const last = async (b: Harness, id: string) => (await b.submissions.list(id)).data[0];

describe("the option `dialects`", () => {
  it("opens the addresses of what it names, and no other", async () => {
    const { b } = await make({}, { dialects: ["basin"] });
    expect((await post(b, `/basin/${ALIAS}`, "a=1")).status).toBe(200);
    for (const path of [`/f/${ALIAS}`, "/f/contact", `/s/${ALIAS}`, "/submit", "/netlify", `/formsubmit/${ALIAS}`]) {
      expect((await post(b, path, `a=1&access_key=${ALIAS}`)).status, path).toBe(404);
    }
    const { json } = await post(b, "/p/default/f/contact", "a=1", client);
    expect(json.status, "the header of a client whose service is not named").toBe("success");
  });

  it("has keys of the default team alone at `/f`", async () => {
    const { b } = await make();
    await b.teams.create({ id: "acme", name: "Acme" });
    await b.forms.create({ name: "B", team_id: "acme", settings: { key: "theirs" } });
    expect((await post(b, "/f/contact", "a=1")).status).toBe(200);
    expect((await post(b, "/f/theirs", "a=1")).status).toBe(404);
    expect((await post(b, "/p/acme/f/theirs", "a=1", client)).json.ok).toBe(true);
  });
});

describe("the setting `dialect`", () => {
  it.each(dialectNames)("%s is kept, and chooses fields and answers at the form's own address", async (dialect) => {
    const { b, id } = await make({ settings: { dialect } }, { dialects: [] });
    expect((await b.forms.get(id)).settings.dialect).toBe(dialect);
    const answers = {
      formspree: "ok",
      web3forms: "success",
      staticforms: "success",
      formsubmit: "success",
      basin: "success",
      formspark: "a",
    };
    const { json } = await post(b, `/f/${id}`, "a=1");
    expect(json).toHaveProperty(answers[dialect as keyof typeof answers] ?? "submission_id");
  });

  it("is written over HTTP, and refused where nobody knows it", async () => {
    const { b, id } = await make();
    const patch = (dialect: unknown) => b.call("PATCH", `/v1/forms/${id}/settings`, { body: { dialect } });
    expect((await patch("basin")).json.dialect).toBe("basin");
    expect((await patch("typeform")).json.error.param).toBe("dialect");
  });

  it("wins over the header of Formspree's client; an address wins over both", async () => {
    const { b, id } = await make({ settings: { dialect: "basin" } });
    expect((await post(b, `/f/${id}`, "a=1", client)).json).toEqual({ success: true });
    expect((await post(b, `/formspark/${ALIAS}`, "a=1", client)).json).toEqual({ a: "1" });
  });
});

describe("special fields", () => {
  it.each([
    ["web3forms", { subject: "Hello", replyto: "r@example.com", from_name: "F", a: "1" }, { subject: "Hello", a: "1" }],
    ["staticforms", { subject: "Hello", replyTo: "r@example.com", a: "1" }, { subject: "Hello", a: "1" }],
    ["netlify", { subject: "Hello", _replyto: "r@example.com", a: "1" }, { subject: "Hello", a: "1" }],
    [
      "formspree",
      { _subject: "Hello", _replyto: "r@example.com", _format: "plain", _cc: "x@y.zz", a: "1" },
      { a: "1" },
    ],
    [
      "formsubmit",
      { _subject: "Hello", _replyto: "r@example.com", _template: "box", _captcha: "false", a: "1" },
      { a: "1" },
    ],
    [
      "formspark",
      {
        _subject: "Hello",
        _replyto: "r@example.com",
        "_email.from": "X",
        "_feedback.title": "Y",
        _append: "false",
        a: "1",
      },
      { a: "1" },
    ],
  ])("of %s steer the mail, and are stored only where the service does", async (dialect, body, stored) => {
    const { b, id } = await make({ settings: { dialect }, self_email_notification: { recipients: ["o@example.com"] } });
    await post(b, `/f/${id}`, body as object);
    expect(Object.fromEntries((await last(b, id))?.fields.map(({ key, value }) => [key, value]) ?? [])).toEqual(stored);
    await b.tick();
    expect([b.mails[0]?.subject, b.mails[0]?.replyTo?.address]).toEqual(["Hello", "r@example.com"]);
  });

  it("of staticforms take `@` for the field `email`", async () => {
    const { b, id } = await make({
      settings: { dialect: "staticforms" },
      self_email_notification: { recipients: ["o@example.com"] },
    });
    await post(b, `/f/${id}`, { email: "ann@example.com", replyTo: "@" });
    await b.tick();
    expect(b.mails[0]?.replyTo?.address).toBe("ann@example.com");
  });

  it.each([
    ["web3forms", "redirect"],
    ["staticforms", "redirectTo"],
    ["formspark", "_redirect"],
    ["formsubmit", "_next"],
    ["formspree", "_next"],
  ])("of %s lead by `%s` to the page's own origin alone", async (dialect, name) => {
    const { b, id } = await make({ settings: { dialect } });
    const go = async (to: string) => {
      const headers = { accept: "text/html", "sec-fetch-mode": "navigate", referer: "https://site.example/contact" };
      return (await post(b, `/f/${id}`, { a: "1", [name]: to }, headers)).headers.get("location");
    };
    expect(await go("https://site.example/thanks")).toBe("https://site.example/thanks");
    expect(await go("https://evil.example/")).toContain(`/f/${id}/thanks/`);
  });

  it("of Web3Forms that hold a captcha's token are asked about", async () => {
    const { b, id } = await make({
      settings: { dialect: "web3forms" },
      spam: { captcha: { secret_key: "altcha_secret of this form" } },
    });
    expect((await post(b, `/f/${id}`, { a: "1", recaptcha_response: "x" })).json).toMatchObject({ success: false });
    expect(await last(b, id)).toBeUndefined();
  });
});

describe("Formspree's errors", () => {
  const rules = [
    { field: "email", checks: [{ type: "required" }, { type: "email" }] },
    { field: "name", checks: [{ type: "required" }] },
    { field: "age", checks: [{ type: "number" }] },
    { field: "color", checks: [{ type: "one_of", value: "red,blue" }] },
  ];
  const codes = (json: { errors: { code: string; field?: string }[] }) =>
    Object.fromEntries(json.errors.map(({ code, field = "" }) => [field, code]));

  it("name the field and a code of its client", async () => {
    const { b, id } = await make({ settings: { dialect: "formspree" }, validation: { rules } });
    const { json } = await post(b, `/f/${id}`, { email: "ann", name: "", age: "x", color: "green" });
    expect(codes(json)).toEqual({
      email: "TYPE_EMAIL",
      name: "REQUIRED_FIELD_EMPTY",
      age: "TYPE_NUMERIC",
      color: "TYPE_TEXT",
    });
    expect(codes((await post(b, `/f/${id}`, { name: "Ann" })).json)).toEqual({ email: "REQUIRED_FIELD_MISSING" });
  });

  it.each([
    ["EMPTY", {}, ""],
    ["INACTIVE", { active: false }, "a=1"],
    ["BLOCKED", { allowed_origins: ["https://site.example"] }, "a=1"],
    ["BLOCKED", { spam: { captcha: { secret_key: "altcha_secret of this form" } } }, "a=1"],
    ["UNSPECIFIED", {}, "{}"],
  ])("are %s for a whole form", async (code, form, body) => {
    const { b, id } = await make({ ...form, settings: { dialect: "formspree" } });
    const { status, json } = await post(b, `/f/${id}`, body);
    expect([status >= 400, codes(json)]).toEqual([true, { "": code }]);
  });

  it("say of files what is wrong with them", async () => {
    const { b, id } = await make(
      { settings: { dialect: "formspree" } },
      {
        plans: { unlimited: { max_files: 1, max_file_size: 10 } },
      },
    );
    const send = async (...contents: string[]) => {
      const body = new FormData();
      for (const content of contents) body.append("cv", new File([content], "cv.txt", { type: "text/plain" }));
      return codes((await b.post(id, body, SCRIPT)).json);
    };
    expect(await send("a", "b")).toEqual({ "": "TOO_MANY_FILES" });
    expect(await send("a longer file than that")).toEqual({ "": "FILES_TOO_BIG" });
    await b.teams.update("default", { plan: "free" });
    await b.clock.advance(6_000);
    expect(await send("a")).toEqual({ "": "NO_FILE_UPLOADS" });
  });
});

describe("an echo of the fields", () => {
  it.each(["web3forms", "formspark"])("of %s holds none that is encrypted, hashed or dropped", async (dialect) => {
    for (const store of ["encrypt", "hash", "drop"]) {
      const { b, id } = await privateForm({ store });
      await b.forms.update(id, { settings: { dialect } } as never);
      const { status, text } = await b.post(id, { name: "Ann", ssn: SSN }, SCRIPT);
      expect([status, text.includes("Ann"), /ssn/.test(text), text.includes(SSN)]).toEqual([200, true, false, false]);
    }
  });

  it("tells a list where a name came more than once, and `__proto__` as it is", async () => {
    const { b, id } = await make({ settings: { dialect: "formspark" } });
    const { text } = await post(b, `/f/${id}`, "a=1&a=2&__proto__=x");
    expect(text).toBe('{"a":["1","2"],"__proto__":"x"}');
  });
});
