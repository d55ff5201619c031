import { type Challenge, createChallenge, solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/index.ts";
import type { SubmissionRecord } from "../../../../src/model/submission-record.ts";
import { type Harness, harness } from "../../../_support/backend.ts";

const secret = "altcha_a secret of this form alone";

async function setup(options: Parameters<typeof harness>[0] = {}): Promise<{ b: Harness; id: string }> {
  const b = harness(options);
  const form = await b.forms.create({ name: "A", spam: { captcha: { secret_key: secret } } });
  expect(form.spam.captcha.provider).toBe("altcha");
  return { b, id: form.id };
}

/** What the widget puts into its field. The solver may start at a counter, which spares a test the visitor's seconds. */
async function solved(challenge: Challenge, counterStart = 0): Promise<string> {
  const solution = await solveChallenge({ challenge, deriveKey, counterStart });
  return Buffer.from(JSON.stringify({ challenge, solution })).toString("base64");
}

/** A challenge that is quickly solved, signed with the secret that is given. */
const easy = (form: string, until: number, key = secret): Promise<Challenge> =>
  createChallenge({
    algorithm: "PBKDF2/SHA-256",
    cost: 1,
    counter: 3,
    deriveKey,
    data: { form, until },
    hmacSignatureSecret: key,
  });

const later = (b: Harness): number => b.clock.now() + 600_000;

describe("ALTCHA", () => {
  it("hands out a challenge, takes its solution once, and stores neither", { timeout: 120_000 }, async () => {
    const storage = memoryStorage();
    const { b, id } = await setup({ storage });
    const answer = await b.call("GET", `/f/${id}/challenge`, {
      key: null,
      headers: { origin: "https://site.example" },
    });
    expect([
      answer.status,
      answer.headers.get("cache-control"),
      answer.headers.get("access-control-allow-origin"),
    ]).toEqual([200, "no-store", "*"]);
    const challenge = answer.json as Challenge;
    expect(challenge.parameters).toMatchObject({ algorithm: "PBKDF2/SHA-256", cost: 5_000, data: { form: id } });
    expect(challenge.parameters.expiresAt).toBeGreaterThan(Date.now() / 1_000 + 590);
    const started = performance.now();
    const altcha = await solved(challenge, 5_000);
    console.log(`ALTCHA: solved from counter 5,000 in ${Math.round(performance.now() - started)} ms`);

    const first = await b.post(id, { a: 1, altcha });
    expect(first.status, first.text).toBe(200);
    const record = (await storage.get("submissions", [first.json.submission_id])).get(first.json.submission_id)
      ?.value as unknown as SubmissionRecord;
    expect([record.fields, record.verdict]).toEqual([[{ key: "a", value: "1" }], [{ check: "captcha", spam: false }]]);
    const again = await b.post(id, { a: 2, altcha });
    expect([again.status, again.json.error.code]).toEqual([422, "captcha_failed"]);
    expect((await b.forms.get(id)).submissions.all_time).toBe(1);
  });

  it("takes one of many that come at once with the same solution, over processes too", async () => {
    const storage = memoryStorage();
    const { b, id } = await setup({ storage });
    const other = harness({ storage });
    const altcha = await solved(await easy(id, later(b)));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? b : other).post(id, { a: i, altcha })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(422)]);
    expect((await b.forms.get(id)).submissions.all_time).toBe(1);
  });

  it("spends nothing on a post that is refused for its values", async () => {
    const { b, id } = await setup();
    await b.forms.update(id, { validation: { rules: [{ field: "email", checks: [{ type: "email" }] }] } });
    const altcha = await solved(await easy(id, later(b)));
    expect((await b.post(id, { email: "nobody", altcha })).json.error.code).toBe("validation_failed");
    expect((await b.post(id, { email: "ann@example.com", altcha })).status).toBe(200);
  });

  it("refuses what is expired, of another form, signed with another secret, tampered with, wrong or unreadable", async () => {
    const { b, id } = await setup();
    const other = await b.forms.create({ name: "B", spam: { captcha: { secret_key: secret } } });
    const good = await easy(id, later(b));
    const tampered = { ...good, parameters: { ...good.parameters, cost: 1, keyPrefix: "00" } };
    const wrong = { challenge: good, solution: { counter: 4, derivedKey: "ab".repeat(32) } };
    const fields: Record<string, string> = {
      missing: "",
      unreadable: "not base64 of anything {",
      "no object": Buffer.from("null").toString("base64"),
      "no challenge": Buffer.from("{}").toString("base64"),
      polluted: Buffer.from('{"__proto__":{"challenge":{}},"challenge":{"parameters":null}}').toString("base64"),
      "another secret": await solved(await easy(id, later(b), "another secret")),
      "another form": await solved(await easy(other.id, later(b))),
      "without a form": await solved(
        await createChallenge({
          algorithm: "PBKDF2/SHA-256",
          cost: 1,
          counter: 3,
          deriveKey,
          hmacSignatureSecret: secret,
        }),
      ),
      expired: await solved(await easy(id, b.clock.now())),
      tampered: await solved(tampered),
      wrong: Buffer.from(JSON.stringify(wrong)).toString("base64"),
      unsigned: await solved({ parameters: good.parameters }),
    };
    for (const [name, altcha] of Object.entries(fields)) {
      const { status, json } = await b.post(id, { a: 1, altcha });
      expect([status, json.error.code], name).toEqual([422, "captcha_failed"]);
    }
    expect((await b.post(id, { a: 1, altcha: await solved(good) })).status).toBe(200);
  });

  it("judges the end of a challenge by the host's clock", async () => {
    const { b, id } = await setup();
    const altcha = await solved(await easy(id, later(b)));
    await b.clock.advance(600_000);
    expect((await b.post(id, { a: 1, altcha })).json.error.code).toBe("captcha_failed");
  });

  it("has no challenge for forms with another captcha, none, or that are not there", async () => {
    const { b } = await setup();
    const form = await b.forms.create({ name: "B", allowed_origins: ["https://site.example"] });
    const ask = (id: string) =>
      b.call("GET", `/f/${id}/challenge`, { key: null, headers: { origin: "https://site.example" } });
    const none = await ask(form.id);
    expect([none.status, none.json.error.code, none.headers.get("access-control-allow-origin")]).toEqual([
      404,
      "not_found",
      "https://site.example",
    ]);
    expect((await ask("nope")).json.error.code).toBe("form_not_found");
    const post = await b.call("POST", `/f/${form.id}/challenge`, { key: null, body: {} });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });
});
