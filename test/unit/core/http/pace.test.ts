import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { bodyStream, type Pace } from "../../../../src/core/http/body.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A body of chunks that come `ms` after one another. */
function request(sizes: number[], ms: number): Request {
  const left = [...sizes];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await wait(ms);
      const size = left.shift();
      if (size === undefined) controller.close();
      else controller.enqueue(new Uint8Array(size));
    },
  });
  return new Request("http://localhost/", { method: "POST", body, duplex: "half" } as RequestInit);
}

/** Reads it all, while time runs as fast as it can. */
async function read(request: Request, pace: Pace, pause = 0): Promise<number> {
  const reading = sizeOf(request, pace, pause);
  let ended = false;
  const end = (): void => {
    ended = true;
  };
  reading.then(end, end);
  while (!ended) await vi.advanceTimersByTimeAsync(1);
  return reading;
}

async function sizeOf(request: Request, pace: Pace, pause: number): Promise<number> {
  let size = 0;
  for await (const chunk of bodyStream(request, pace) ?? []) {
    size += chunk.length;
    await wait(pause);
  }
  return size;
}

describe("a body under a pace", () => {
  it("that keeps it may take longer than the time of one step", async () => {
    expect(await read(request(Array(20).fill(100), 20), { bytes: 100, ms: 200 })).toBe(2000);
  });

  it("that falls behind is ended with 408, and its connection with it", async () => {
    const slow = read(request(Array(100).fill(1), 20), { bytes: 100, ms: 200 });
    await expect(slow).rejects.toMatchObject({
      code: "request_timeout",
      status: 408,
      headers: { connection: "close" },
    });
  });

  it("that stalls after a quick start is ended too: what came early is no credit", async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(1_000_000));
      },
    });
    const endless = new Request("http://localhost/", { method: "POST", body, duplex: "half" } as RequestInit);
    await expect(read(endless, { bytes: 100, ms: 100 })).rejects.toMatchObject({ code: "request_timeout" });
  });

  it("is not blamed for a reader that takes its time", async () => {
    expect(await read(request([50, 50, 50, 50], 1), { bytes: 100, ms: 80 }, 60)).toBe(200);
  });

  it("that is there at once is read in several turns of the event loop, so others are served in between", async () => {
    let left = 64;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (left-- > 0) controller.enqueue(new Uint8Array(64 * 1024));
        else controller.close();
      },
    });
    const request = new Request("http://localhost/", { method: "POST", body, duplex: "half" } as RequestInit);
    let inTurn = 0;
    let most = 0;
    let ended = false;
    const nextTurn = (): void => {
      inTurn = 0;
      if (!ended) setImmediate(nextTurn);
    };
    nextTurn();
    for await (const chunk of bodyStream(request, { bytes: 1, ms: 1000 }) ?? []) {
      inTurn += chunk.length;
      most = Math.max(most, inTurn);
    }
    ended = true;
    expect(most).toBeLessThanOrEqual(256 * 1024);
  });
});
