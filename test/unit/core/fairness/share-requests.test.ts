import { expect, it } from "vitest";
import { harness } from "../../../_support/backend.ts";

/** Keeps the event loop busy, as heavy work in small turns would. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

it("heavy requests of a team that keeps the process busy wait while others are served; light ones and others' don't", async () => {
  const b = harness({});
  const made = async (id: string) => {
    await b.teams.create({ id, name: id, plan: "unlimited" });
    const { id: form } = await b.forms.create({ name: id, team_id: id, spam: { protection: false } });
    return { form, key: await b.keyWith("all", { team_id: id }) };
  };
  const [busy, calm] = [await made("busy"), await made("calm")];
  const post = async (form: string, body: FormData | URLSearchParams): Promise<number> => {
    // As over HTTP, where a body tells its length.
    const length = body instanceof FormData ? {} : { "content-length": `${body.toString().length}` };
    const headers = { accept: "application/json", ...length };
    return (await b.fetch(new Request(`${b.baseUrl}/f/${form}`, { method: "POST", headers, body }))).status;
  };
  const light = () => new URLSearchParams({ email: "ann@example.com" });
  const heavy = () => {
    const body = new FormData();
    body.set("cv", new File(["%PDF-1.7 x"], "cv.pdf"));
    return body;
  };

  // Each kind once, because the first ones load code.
  for (const { form, key } of [busy, calm]) {
    expect(await post(form, light())).toBe(200);
    expect(await post(form, heavy())).toBe(200);
    expect((await b.call("GET", "/v1/forms", { key })).status).toBe(200);
  }

  // An upload of the team is under way, and the loop busy with it all the time.
  let end = (): void => {};
  let begun = (): void => {};
  const begins = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n'));
      end = () => {
        controller.enqueue(new TextEncoder().encode("b\r\n--x--\r\n"));
        controller.close();
      };
    },
    pull: () => begun(),
  });
  const headers = { accept: "application/json", "content-type": "multipart/form-data; boundary=x" };
  const url = `${b.baseUrl}/f/${busy.form}`;
  const first = b.fetch(new Request(url, { method: "POST", headers, body, duplex: "half" } as RequestInit));
  await begins;
  expect(await post(calm.form, light())).toBe(200);
  work(300);

  expect(await post(calm.form, light())).toBe(200);
  work(100);
  const done: string[] = [];
  const waits = [
    post(busy.form, heavy()).then(() => done.push("upload")),
    b.call("GET", "/v1/forms", { key: busy.key }).then(() => done.push("list")),
  ];
  expect(await post(busy.form, light())).toBe(200);
  work(100);
  expect(await post(calm.form, heavy())).toBe(200);
  work(100);
  expect((await b.call("GET", "/v1/forms", { key: calm.key })).status).toBe(200);
  expect(done).toEqual([]);

  end();
  expect((await first).status).toBe(200);
  await Promise.all(waits);
  expect(done.sort()).toEqual(["list", "upload"]);
  await b.close();
});
