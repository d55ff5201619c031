import { expect, it } from "vitest";
import { isHeavy } from "../../../../src/features/intake/heavy.ts";
import { harness } from "../../../_support/backend.ts";

const many = (count: number): URLSearchParams => {
  const body = new URLSearchParams({ email: "ann@example.com" });
  for (let at = 0; at < count; at++) body.append("abcdefgh"[at % 8] as string, `value ${at}`);
  return body;
};

/** Two forms of two teams, posts to which note in `order` that they were answered. */
async function teams() {
  const b = harness({ rateLimit: false });
  await b.teams.create({ id: "worst", name: "Worst" });
  await b.teams.create({ id: "calm", name: "Calm" });
  const worst = await b.forms.create({ name: "A", spam: { protection: false } }, { team_id: "worst" });
  const calm = await b.forms.create({ name: "B", spam: { protection: false } }, { team_id: "calm" });
  const order: string[] = [];
  const post = async (name: string, form: { id: string }, body: URLSearchParams | string): Promise<void> => {
    const { status } = await b.post(form.id, body, { accept: "application/json" });
    expect(status).toBe(200);
    order.push(name);
  };
  // What is read and compiled at first use.
  await post("", worst, many(400));
  await post("", calm, "a=b");
  order.length = 0;
  return { b, worst, calm, order, post };
}

/**
 * The middle one of nine rounds. A visit that lasts 100 ms gets no precedence any more, and on a busy machine some do.
 */
async function usually(round: () => Promise<number>): Promise<number | undefined> {
  const found: number[] = [];
  for (let n = 0; n < 9; n++) found.push(await round());
  return found.sort((a, b) => a - b)[4];
}

it("a light post goes past heavy ones of another team that came before it", async () => {
  const place = await usually(async () => {
    const { b, worst, calm, order, post } = await teams();
    const heavy = Array.from({ length: 12 }, () => post("heavy", worst, many(400)));
    await Promise.all([...heavy, post("light", calm, "email=ann%40example.com&message=Hello")]);
    expect(order).toHaveLength(13);
    expect((await b.submissions.count(worst.id)).count).toBe(13);
    return order.indexOf("light");
  });
  expect(place).toBeLessThan(4);
});

it("heavy posts of two teams take turns, however many one of them has sent", async () => {
  const place = await usually(async () => {
    const { b, worst, calm, order, post } = await teams();
    const first = Array.from({ length: 12 }, () => post("worst", worst, many(400)));
    await Promise.all([...first, post("calm", calm, many(400)), post("calm", calm, "a=".padEnd(20_000, "x"))]);
    expect(order).toHaveLength(14);
    expect((await b.submissions.count(calm.id)).count).toBe(3);
    return order.lastIndexOf("calm");
  });
  expect(place).toBeLessThan(8);
});

it.each([
  [100, 0, 0, false],
  [101, 0, 0, true],
  [20, 5, 3, false],
  [20, 10, 11, true],
])("a post of %i fields to a form with %i recipients and %i webhooks: heavy is %s", (fields, mails, hooks, heavy) => {
  const form = {
    webhooks: Array.from({ length: hooks }),
    self_email_notification: { recipients: Array.from({ length: mails }, () => "ann@example.com") },
  } as unknown as Parameters<typeof isHeavy>[0];
  expect(isHeavy(form, { fields: Array.from({ length: fields }, () => ({ key: "a", value: "" })) })).toBe(heavy);
});
