import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createChallenge, solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { type Harness, harness } from "../../../_support/backend.ts";

const secret = "altcha_a secret of this form alone";

describe("two backends over one SQLite file", () => {
  let dir: string;
  let backends: [Harness, Harness];
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), "form-backend-"));
    const open = (): Harness => harness({ storage: sqliteStorage({ path: join(dir, "forms.db") }), rateLimit: false });
    backends = [open(), open()];
    for (const backend of backends) await backend.ready();
  });
  afterEach(async () => {
    for (const backend of backends) await backend.close();
    rmSync(dir, { recursive: true });
  });

  it("take a render token once and store every post", async () => {
    const [first] = backends;
    const { id } = await first.forms.create({ name: "A" });
    const _token = await first.renderToken(id);
    for (const backend of backends) await backend.clock.advance(3_000);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => backends[i % 2]?.post(id, { a: i, _token })),
    );
    expect(answers.map((answer) => answer?.status)).toEqual(Array<number>(60).fill(200));
    const { data } = await first.submissions.list(id, { status: "all", limit: 100 });
    expect([data.length, data.filter(({ spam }) => !spam).length]).toEqual([60, 1]);
  });

  it("take an ALTCHA solution once and refuse the others", async () => {
    const [first] = backends;
    const { id } = await first.forms.create({ name: "A", spam: { captcha: { secret_key: secret } } });
    const data = { form: id, until: first.clock.now() + 60_000 };
    const challenge = await createChallenge({
      algorithm: "PBKDF2/SHA-256",
      cost: 1,
      counter: 3,
      deriveKey,
      data,
      hmacSignatureSecret: secret,
    });
    const altcha = Buffer.from(
      JSON.stringify({ challenge, solution: await solveChallenge({ challenge, deriveKey }) }),
    ).toString("base64");
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => backends[i % 2]?.post(id, { a: i, altcha })),
    );
    expect(answers.map((answer) => answer?.status).sort()).toEqual([200, ...Array<number>(59).fill(422)]);
  });
});
