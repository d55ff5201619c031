import { expect, it, vi } from "vitest";
import { ann, inboxHarness } from "./_inbox.ts";

vi.mock("yazl", () => {
  throw new Error("Cannot find package 'yazl'");
});

it("a host without the package for zips offers no files of Excel and no download of all files, and says so at their addresses", async () => {
  const backend = inboxHarness();
  const form = await backend.forms.create({ name: "Contact" });
  const files = ["a.txt", "b.txt"].map((name) => ({ key: "file", name, content: Buffer.from(name) }));
  const { id } = await backend.submit(form.id, { fields: { name: "Bo" }, files });
  const visitor = backend.as(ann);
  const list = (await visitor.get(`/f/${form.id}`)).text;
  expect(list).toContain('<option value="csv">');
  expect(list).not.toContain('<option value="xlsx">');
  const item = (await visitor.get(`/f/${form.id}/s/${id}`)).text;
  expect(item).toContain("a.txt");
  expect(item).not.toContain(`/s/${id}/files"`);
  for (const path of [`/f/${form.id}/export?format=xlsx`, `/f/${form.id}/s/${id}/files`]) {
    const { status, text } = await visitor.get(path);
    expect(status).toBe(400);
    expect(text).toContain("install the package yazl");
  }
  expect((await visitor.get(`/f/${form.id}/export?format=csv`)).status).toBe(200);
});
