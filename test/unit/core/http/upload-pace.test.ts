import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { bodyStream, UPLOAD_PACE } from "../../../../src/core/http/body.ts";

afterEach(() => void vi.useRealTimers());

it("an upload that sends nothing for 5 s is given up, and one of 1 KiB a second is not", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  let send: (chunk: Uint8Array) => void = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      send = (chunk) => controller.enqueue(chunk);
    },
  });
  const request = new Request("http://localhost/", { method: "POST", body, duplex: "half" } as RequestInit);
  let got = 0;
  let fault: unknown;
  const read = (async () => {
    for await (const chunk of bodyStream(request, UPLOAD_PACE) ?? []) got += chunk.length;
  })().catch((error: unknown) => (fault = error));
  const settle = async () => {
    for (let i = 0; i < 5; i++) await turn();
  };
  for (let second = 0; second < 20; second++) {
    await settle();
    vi.advanceTimersByTime(999);
    send(new Uint8Array(1_025));
  }
  await settle();
  expect([got, fault]).toEqual([20 * 1_025, undefined]);
  vi.advanceTimersByTime(4_999);
  await settle();
  expect(fault).toBeUndefined();
  vi.advanceTimersByTime(1);
  await read;
  expect(fault).toMatchObject({ code: "request_timeout" });
});
