import { describe, expect, it } from "vitest";
import { harness } from "../../../_support/backend.ts";

describe("a multipart post that is cut off", () => {
  const part = (more: string) => `--X\r\ncontent-disposition: form-data; name="a"${more}\r\n\r\nabc`;

  it.each([
    ["in a field", part("")],
    ["in a file", part('; filename="a.txt"')],
    ["in a file behind a field", `${part("")}\r\n${part('; filename="a.txt"')}`],
    ["in the headers of a part", '--X\r\ncontent-disposition: form-data; name="a"'],
  ])("%s is refused with 400, and leaves no error behind that would end the process", async (_, body) => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    const uncaught: unknown[] = [];
    const note = (error: unknown) => void uncaught.push(error);
    process.on("uncaughtExceptionMonitor", note);
    const { status, json } = await b.post(id, body, {
      "content-type": "multipart/form-data; boundary=X",
      accept: "application/json",
    });
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
    process.off("uncaughtExceptionMonitor", note);
    expect([status, json.error.code, uncaught]).toEqual([400, "invalid_parameter", []]);
    expect((await b.forms.get(id)).submissions.all_time).toBe(0);
  });
});
