import { expect, it } from "vitest";
import type { HostSubmission } from "../../../../src/index.ts";
import { fileHarness, formData, json } from "../../../_support/blobs.ts";
import { encryption } from "../../../_support/privacy.ts";

it("a submission carries its files in process, with links that work, and over HTTP only what the API has", async () => {
  const b = fileHarness();
  const form = await b.forms.create({ name: "A", spam: { protection: false } });
  const { json: answer } = await b.post(
    form.id,
    formData([
      ["email", "ann@example.com"],
      ["cv", ["My CV.txt", "content"]],
      ["cv", ["<img src=x>.txt", "more"]],
    ]),
    json,
  );
  const id = answer.submission_id as string;
  const is = async (submission: HostSubmission | undefined): Promise<void> => {
    const urls = submission?.attachments.map(({ url }) => url) ?? [];
    expect(submission?.files).toEqual([
      { key: "cv", name: "My CV.txt", mime_type: "text/plain", size: 7, url: urls[0] },
      { key: "cv", name: expect.stringMatching(/\.txt$/), mime_type: "text/plain", size: 4, url: urls[1] },
    ]);
    expect(await (await b.fetch(new Request(submission?.files[0]?.url as string))).text()).toBe("content");
  };
  await is(await b.submissions.get(form.id, id));
  await is((await b.submissions.list(form.id)).data[0]);
  await is((await b.submissions.list(null)).data[0]);
  await is(await b.submissions.update(form.id, id, { read: true }));

  const path = `/v1/forms/${form.id}/submissions`;
  for (const at of [path, `${path}/${id}`, "/v1/submissions"]) {
    const { text } = await b.call("GET", at);
    expect(text).toContain('"attachments":[{"key":"cv"');
    expect(text).not.toMatch(/"files"|"size"/);
  }
});

it("has an empty list where nothing was uploaded", async () => {
  const b = fileHarness();
  const { id } = await b.forms.create({ name: "A" });
  expect((await b.submit(id, { fields: { a: "1" } })).files).toEqual([]);
  const sent = await b.submit(id, {
    fields: { a: "2" },
    files: [{ key: "cv", name: "a.txt", content: new TextEncoder().encode("content") }],
  });
  expect(sent.files).toMatchObject([{ key: "cv", name: "a.txt", size: 7 }]);
});

it("names a file that is stored encrypted by its ending only", async () => {
  const b = fileHarness({ encryption });
  const { id } = await b.forms.create({ name: "A", settings: { fields: { cv: { store: "encrypt" } } } });
  const { files } = await b.submit(id, {
    fields: { a: "1" },
    files: [{ key: "cv", name: "Ann Smith.txt", content: new TextEncoder().encode("content") }],
  });
  expect(files).toMatchObject([{ key: "cv", name: "file.txt", size: 7 }]);
});
