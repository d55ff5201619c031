import { describe, expect, it } from "vitest";
import { inboxHarness } from "./_inbox.ts";

const OVERRIDE = "\u202e";

describe("a mark of direction in a visitor's value", () => {
  it("turns nothing of the other values in a list", async () => {
    const b = inboxHarness();
    const { id } = await b.forms.create({ name: "Contact" });
    await b.submit(id, { fields: { name: `Ann${OVERRIDE}`, message: `Hello ${OVERRIDE}there`, topic: "bread" } });
    for (const path of [`/f/${id}`, "/all"]) {
      const { text } = await b.as({}).get(path);
      expect(text, path).toContain("Hello there · bread");
      expect(text, path).not.toContain(OVERRIDE);
    }
  });

  it("ends where it stands in what is shown exactly", async () => {
    const b = inboxHarness();
    const { id } = await b.forms.create({ name: "Contact" });
    const hook = await b.webhooks.create(id, { url: "https://hooks.example.com/" });
    const { id: submission_id } = await b.submit(id, { fields: { message: `a${OVERRIDE}b`, topic: "bread" } });
    await b.tick();
    const [job] = (await b.jobs.list({ submission_id })).filter(({ target }) => target === hook.id);
    for (const path of [`/f/${id}/s/${submission_id}?tab=raw`, `/f/${id}/deliveries/${job?.id}`]) {
      const { text } = await b.as({}).get(path);
      expect(text, path).toContain(`a<bdi>${OVERRIDE}</bdi>b`);
      expect(text.replaceAll(`<bdi>${OVERRIDE}</bdi>`, ""), path).not.toContain(OVERRIDE);
    }
  });
});
