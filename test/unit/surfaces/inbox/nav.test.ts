import { expect, it } from "vitest";
import { inboxHarness } from "./_inbox.ts";

it("a form's link in the side bar says its number once to those who hear it", async () => {
  const backend = inboxHarness();
  const { id } = await backend.forms.create({ name: "Contact", spam: { protection: false } });
  for (const message of ["a", "b", "c"]) await backend.post(id, { message });
  const { text } = await backend.as({ role: "editor", id: "ann", name: "Ann" }).get(`/f/${id}`);
  const [link = ""] = text.match(new RegExp(`<a[^>]*href="[^"]*/f/${id}"[^>]*>.*?</a>`)) ?? [];
  const heard = link.replace(/<(\w+)[^>]*aria-hidden="true"[^>]*>.*?<\/\1>/g, "").replace(/<[^>]*>/g, "");
  expect(heard.match(/3/g)).toHaveLength(1);
  expect(heard).toMatch(/Contact\s+3 unread/);
});
