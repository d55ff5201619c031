import { expect, it } from "vitest";
import { harness } from "../../_support/backend.ts";

it("events come after what they tell of is durable, and a handler that throws harms nobody", async () => {
  const errors: string[] = [];
  const b = harness({ logger: { debug() {}, info() {}, warn() {}, error: (message) => errors.push(message) } });
  const seen: string[] = [];
  b.on("form.created", () => {
    throw new Error("handler broke");
  });
  b.on("form.created", async () => Promise.reject(new Error("handler broke later")));
  for (const name of [
    "form.created",
    "form.updated",
    "form.deleted",
    "submission.created",
    "delivery.succeeded",
    "email.sent",
  ] as const) {
    b.on(name, () => void seen.push(name));
  }
  const form = await b.forms.create({ name: "A", self_email_notification: { recipients: ["me@example.com"] } });
  await b.webhooks.create(form.id, { url: "https://example.com/" });
  await b.submit(form.id, { fields: { a: "1" } });
  await b.tick();
  await b.forms.update(form.id, { name: "B" });
  await b.forms.delete(form.id);
  expect(seen.sort()).toEqual([
    "delivery.succeeded",
    "email.sent",
    "form.created",
    "form.deleted",
    "form.updated",
    "submission.created",
  ]);
  expect(errors.filter((message) => message.includes("an event handler failed"))).toHaveLength(2);
});

it("off takes a handler away", async () => {
  const b = harness();
  let count = 0;
  const handler = () => void count++;
  b.on("form.created", handler);
  await b.forms.create({ name: "A" });
  b.off("form.created", handler);
  await b.forms.create({ name: "B" });
  expect(count).toBe(1);
});
