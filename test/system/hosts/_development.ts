import { expect, it } from "vitest";
import {
  chunk,
  head,
  post,
  refusal,
  URLENCODED,
  type Wire,
  wire,
} from "../../../src/surfaces/testing/adapter/fixtures.ts";
import type { HostProcess } from "./_remote.ts";

const MB = Buffer.alloc(1024 * 1024, "x");
const CHUNKED = { "content-type": URLENCODED, "transfer-encoding": "chunked" };
const ENDS = "the development proxy says Connection: close to every body of unknown length, kept connection or not";

/** Cases of the suite that the proxy in front of the worker makes impossible; `developmentProxy` has what remains of them. */
export const DEVELOPMENT = {
  "2 MB of fields is refused, whatever the headers say of its length":
    "the development proxy holds a head back until its body begins, too late where the next bytes break the connection",
  "an upload of 50 MB that is refused gets its answer (payload_too_large, keep-alive)": ENDS,
  "an upload of 50 MB that is refused gets its answer (form_not_found, keep-alive)": ENDS,
};

/** What the proxy does to routes of the app's own, so that a case left out comes back when it does so no longer. */
export function developmentProxy(at: (mount: string) => HostProcess): void {
  it("refuses 2 MB of fields, also where their length is not told, and large uploads on kept connections", async () => {
    const host = at("/forms");
    const { forms, stored } = await host.backend({});
    const endpoint = `${host.url}/forms/f/${(await forms.create({ name: "Contact" })).id}`;
    const tooLarge = { status: 413, code: "payload_too_large" };
    expect(await refusal(await post(endpoint, "x".repeat(2 * MB.length), URLENCODED))).toEqual(tooLarge);
    for (const [url, code, size] of [
      [endpoint, "payload_too_large", 2],
      [endpoint, "payload_too_large", 50],
      [`${host.url}/forms/f/AAAAAAAAAAA`, "form_not_found", 50],
    ] as const) {
      const upload = await uploaded(url, size);
      expect(await upload.until(/"request_id"/)).toContain(code);
      upload.close();
    }
    expect(stored).toEqual([]);
  });

  it("without the backend: a body of unknown length ends the connection", async () => {
    const { url } = at("/forms");
    const json = { "content-type": "application/json" };
    for (const [framing, body, connection] of [
      [{ "content-length": "2" }, "{}", "keep-alive"],
      [{ "transfer-encoding": "chunked" }, `${chunk("{}")}0\r\n\r\n`, "close"],
    ] as const) {
      const client = await wire(url);
      await client.write(head(`${url}/api/body`, { ...json, ...framing }) + body);
      expect(await client.until(/"body"/)).toMatch(new RegExp(`^connection: ${connection}\r$`, "im"));
      client.close();
    }
  });

  it("without the backend: a head waits for the first bytes of its body", async () => {
    const { url } = at("/forms");
    const begun = async (): Promise<unknown> => (await fetch(`${url}/api/begun`)).json();
    const before = (await begun()) as { begun: number };
    const client = await wire(url);
    await client.write(head(`${url}/api/begun`, { "content-type": URLENCODED, "content-length": "8" }));
    expect(await begun()).toEqual(before);
    await client.write("name=Ann");
    expect(await client.until(/"begun": *\d+/)).toContain(`${before.begun + 1}`);
    client.close();
  });
}

/** A connection over which that many MB of unknown length were sent, or as many as were taken, before anything is read. */
async function uploaded(url: string, size: number): Promise<Wire> {
  const upload = await wire(url);
  upload.hold();
  await upload.write(head(url, CHUNKED));
  for (let n = 0; n < size; n++) await upload.write(chunk(MB));
  await upload.write("0\r\n\r\n");
  return upload;
}
