import { describe, expect, it } from "vitest";
import { memoryBlob } from "../../../../src/drivers/blob/memory.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { harness } from "../../../_support/backend.ts";

const DAY = 24 * 3600 * 1000;
/** The members of an error of a system call, as Node throws it. */
const system = { errno: -13, code: "EACCES", syscall: "unlink" };

/** Forms with a file each, one of which can't be removed until `mend()`. */
async function withStuckFile(forms = 3) {
  const blob = memoryBlob();
  let stuck: string | undefined;
  const errors: string[] = [];
  const storage = memoryStorage();
  const b = harness({
    storage,
    blob: {
      ...blob,
      remove: async (id) => {
        if (id === stuck) throw Object.assign(new Error("EACCES: permission denied, unlink"), system);
        await blob.remove(id);
      },
    },
    logger: { debug() {}, info() {}, warn() {}, error: (text) => void errors.push(text) },
  });
  const ids: string[] = [];
  for (let i = 0; i < forms; i++) {
    const form = await b.forms.create({ name: `F${i}`, storage: { keep_for: "7_days" } });
    ids.push(form.id);
    const body = new FormData();
    body.append("name", "Ann");
    body.append("cv", new File(["hello"], "cv.txt", { type: "text/plain" }));
    expect((await b.post(form.id, body)).status).toBe(200);
  }
  const first = (await b.submissions.list(ids[0] as string)).data[0];
  stuck = (
    await storage.page("files", {
      index: "submission",
      equals: { submission_id: first?.id ?? "" },
      order: "asc",
      limit: 1,
    })
  )[0]?.id;
  expect(stuck).toBeDefined();
  return { b, ids, errors, storage, mend: () => (stuck = undefined) };
}

describe("a file that can't be removed", () => {
  it("is named in the log and passed over, and goes with a later sweep", async () => {
    const { b, ids, errors, mend } = await withStuckFile();
    await b.clock.advance(8 * DAY);
    expect(await b.sweep()).toMatchObject({ submissions: 2, files: 2 });
    expect((await b.submissions.list(ids[0] as string)).data).toHaveLength(1);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(
      /could not remove 1 record .*next sweep: submission \w+ \(EACCES: permission denied, unlink\)/,
    );
    mend();
    expect(await b.sweep()).toMatchObject({ submissions: 1, files: 1 });
    expect(errors).toHaveLength(1);
  });

  it("does not keep the rest of a deleted form, and is tried again a day later", async () => {
    const { b, ids, errors, mend } = await withStuckFile(1);
    await b.submit(ids[0] as string, { fields: { a: "1" } });
    await b.forms.delete(ids[0] as string);
    await b.clock.advance(8 * DAY);
    expect(await b.sweep()).toMatchObject({ submissions: 1 });
    expect(errors).toHaveLength(1);
    mend();
    await b.clock.advance(DAY + 1);
    expect(await b.sweep()).toMatchObject({ submissions: 1, files: 1 });
  });

  it("is no reason to keep what other uploads left behind", async () => {
    const { b, storage, errors } = await withStuckFile(1);
    const first = (await b.submissions.list(null)).data[0];
    const [row] = await storage.page("files", {
      index: "submission",
      equals: { submission_id: first?.id ?? "" },
      order: "asc",
      limit: 1,
    });
    const ended = { expires_at: "2026-01-01T00:00:00.000Z" };
    await storage.commit([
      { op: "remove", collection: "files", id: row?.id ?? "" },
      { op: "put", collection: "marks", id: `upload:${row?.id}`, value: ended },
      ...Array.from({ length: 250 }, (_, i) => ({
        op: "put" as const,
        collection: "marks",
        id: `upload:z${i}`,
        value: ended,
      })),
    ]);
    await b.clock.advance(DAY);
    await b.sweep();
    const marks = await storage.page("marks", { index: "expiry", equals: {}, order: "asc", limit: 300 });
    expect([marks.map(({ id }) => id), errors.length]).toEqual([[`upload:${row?.id}`], 1]);
  });
});
