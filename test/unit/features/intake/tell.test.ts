import { afterEach, expect, it, vi } from "vitest";
import { type Harness, harness } from "../../../_support/backend.ts";

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: unknown;
}

function start(options: Parameters<typeof harness>[0] = {}, env = "production"): { b: Harness; lines: Line[] } {
  vi.stubEnv("NODE_ENV", env);
  const lines: Line[] = [];
  const level = (name: string) => (message: string, fields?: unknown) =>
    void lines.push({ level: name, message, fields });
  const logger = { debug: level("debug"), info: level("info"), warn: level("warn"), error: level("error") };
  return { b: harness({ logger, ...options }), lines };
}

afterEach(() => void vi.unstubAllEnvs());

it("a refused post is an event, with its form, code and address", async () => {
  const { b } = start();
  const told: unknown[] = [];
  b.on("submission.refused", (event) => void told.push(event));
  const { id } = await b.forms.create({ name: "A", allowed_origins: ["https://site.example"] });
  await b.post(id, { a: 1 }, { origin: "https://evil.example" });
  await b.post(id, {}, { origin: "https://site.example" });
  await b.post("nosuchform1", { a: 1 });
  expect(told).toEqual([
    { form_id: id, code: "origin_not_allowed", ip: "203.0.113.9" },
    { form_id: id, code: "empty_submission", ip: "203.0.113.9" },
  ]);
});

it("tells a developer of each refused post and each spam at once", async () => {
  const { b, lines } = start({}, "development");
  const { id } = await b.forms.create({ name: "A", allowed_origins: ["https://site.example"] });
  await b.post(id, { a: 1 }, { origin: "https://evil.example" });
  await b.post(id, { a: 1, _gotcha: "x" }, { origin: "https://site.example" });
  const infos = lines.filter(({ level }) => level === "info").map(({ message }) => message);
  expect(infos).toContainEqual(expect.stringContaining(`form ${id} refused a post: origin_not_allowed`));
  expect(infos).toContainEqual(expect.stringMatching(/stored as spam \(honeypot\)$/));
});

it("a minute's refusals are one line for each form and reason, in words and with fields", async () => {
  const { b, lines } = start();
  const infos = () => lines.filter(({ level, message }) => level === "info" && message.startsWith("form "));
  const { id } = await b.forms.create({ name: "A", allowed_origins: ["https://site.example"] });
  for (let i = 0; i < 3; i++) await b.post(id, { a: 1 }, { origin: "https://evil.example" });
  await b.post(id, { a: 1, _gotcha: "x" }, { origin: "https://site.example" });
  expect(infos()).toEqual([]);
  expect(
    lines.filter(({ level, message }) => level === "debug" && message.includes("refused")).map(({ fields }) => fields),
  ).toEqual(Array(3).fill({ form_id: id, code: "origin_not_allowed" }));
  await b.clock.advance(60_000);
  expect(infos()).toEqual([
    {
      level: "info",
      message: `form ${id}: 3 posts in the last minute refused: "https://evil.example" is not among the form's \`allowed_origins\``,
      fields: { form_id: id, reason: "origin_not_allowed", count: 3, origin: "https://evil.example" },
    },
    {
      level: "info",
      message: `form ${id}: 1 post in the last minute taken for spam`,
      fields: { form_id: id, reason: "spam", count: 1 },
    },
  ]);
  await b.clock.advance(60_000);
  expect(infos()).toHaveLength(2);
  await b.post(id, {}, { origin: "https://site.example" });
  await b.close();
  expect(infos().at(-1)?.message).toBe(`form ${id}: 1 post in the last minute refused: empty_submission`);
});

it("posts beyond the plan's month are said, and so is a rate limit with what may cause it", async () => {
  const { b, lines } = start({ plans: { tiny: { submissions_per_month: 1 } } as never });
  await b.teams.create({ id: "small", name: "Small", plan: "tiny" });
  const { id } = await b.forms.create({ name: "A" }, { team_id: "small" });
  for (let i = 0; i < 40; i++) await b.post(id, { a: i });
  await b.clock.advance(60_000);
  const said = lines.filter(({ level }) => level === "info").map(({ message }) => message);
  expect(said).toContainEqual(
    expect.stringMatching(/stored, and neither mailed nor delivered: the month of the team's plan is full$/),
  );
  expect(said).toContainEqual(
    expect.stringMatching(/refused by a rate limit; behind a proxy, `trustProxy` must be set/),
  );
});
