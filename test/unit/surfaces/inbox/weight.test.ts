import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { ann, inboxHarness } from "./_inbox.ts";

/** A phone with a slow connection has the first page within a second. */
const MOST_BYTES = 45_000;

it("a full list, with all that its page loads, takes no more than 45 KB gzipped", async () => {
  const backend = inboxHarness({}, { rateLimit: false });
  const form = await backend.forms.create({ name: "Contact" });
  for (let i = 0; i < 50; i++) {
    await backend.submit(form.id, {
      fields: {
        name: `Person ${i}`,
        email: `person${i}@example.com`,
        message: `Order ${i * 7_919} has not come. `.repeat(6),
      },
    });
  }
  const { text } = await backend.as(ann).get(`/f/${form.id}`);
  expect(text.match(/<tr data-submission-id/g)).toHaveLength(50);
  let bytes = gzipSync(text).length;
  for (const [, url = ""] of text.matchAll(/(?:href|src)="([^"]+\/assets\/[^"]+)"/g)) {
    bytes += gzipSync((await backend.stranger().get(url)).text).length;
  }
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
  // A page that loads nothing would pass as well.
  expect(bytes).toBeGreaterThan(10_000);
});
