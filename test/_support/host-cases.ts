import { once } from "node:events";
import { expect } from "vitest";
import type { FormBackend } from "../../src/index.ts";
import { chunk, eventually, head, URLENCODED, wire } from "../../src/surfaces/testing/adapter/fixtures.ts";
import {
  createTestBackend,
  type HostOptions,
  type RunningHost,
  type TestBackend,
} from "../../src/surfaces/testing/index.ts";

type Create = (options: HostOptions) => Promise<RunningHost>;
type Answer = FormBackend["handle"];

/** What the conformance suite can't ask of a host in another process, because it puts something in the backend's place. */
export const hostCases: readonly { name: string; run(create: Create): Promise<void> }[] = [
  {
    name: "mounted under another path than that of baseUrl, it says so once",
    run: async (create) => {
      const warnings: string[] = [];
      const quiet = (): void => {};
      const logger = { debug: quiet, info: quiet, error: quiet, warn: (text: string) => void warnings.push(text) };
      const backend = createTestBackend({ baseUrl: "https://example.com/forms", logger });
      await hosted(create, { ...backend, baseUrl: "https://example.com/contact" }, backend, async ({ url }) => {
        for (const path of ["/contact/f/AAAAAAAAAAA", "/contact/v1/forms"]) {
          expect((await fetch(url + path, { method: "POST" })).status).toBe(404);
        }
      });
      // The port of the test is another than that of baseUrl, which is told as well.
      expect(warnings.filter((text) => text.includes("reached the form backend"))).toEqual([
        'a request for "/contact/f/AAAAAAAAAAA" reached the form backend, which responds under "/forms" because `baseUrl` is ' +
          '"https://example.com/forms"; mount it there, or put the path where it is mounted into `baseUrl`',
      ]);
    },
  },
  {
    name: "while it closes, a post that has begun is taken and a new one is told to come again",
    run: async (create) => {
      const backend = createTestBackend();
      const stored: unknown[] = [];
      backend.on("submission.created", ({ fields }) => stored.push(fields));
      const { id } = await backend.forms.create({ name: "Contact" });
      let begun = 0;
      const counted: Answer = (request, info) => {
        begun++;
        return backend.handle(request, info);
      };
      const watched = { ...backend, ...answering(counted) };
      await hosted(create, watched, backend, async ({ url }) => {
        const slow = await wire(url);
        const headers = { "content-type": URLENCODED, "transfer-encoding": "chunked" };
        await slow.write(head(`${url}/forms/f/${id}`, headers));
        await slow.write(chunk("name=A"));
        await eventually("the request", () => begun === 1);
        // Past what opens the drivers: from there on it is a post that has begun.
        await new Promise((resolve) => setImmediate(resolve));
        const closed = backend.close();
        const late = await fetch(`${url}/forms/f/${id}`, { method: "POST", headers: { accept: "application/json" } });
        expect([late.status, late.headers.get("retry-after")]).toEqual([503, "1"]);
        await slow.write(chunk("nn"));
        await slow.write("0\r\n\r\n");
        expect(await slow.until(/"submission_id"/)).toMatch(/^HTTP\/1\.1 200 /);
        slow.close();
        await closed;
      });
      expect(stored).toEqual([[{ key: "name", value: "Ann" }]]);
    },
  },
  {
    name: "a slow reader holds an answer's source back, and its going away ends it",
    run: async (create) => {
      let pulled = 0;
      let cancelled = false;
      const endless = (): ReadableStream<Uint8Array> =>
        new ReadableStream({
          pull(controller) {
            pulled++;
            controller.enqueue(new Uint8Array(64 * 1024));
          },
          cancel() {
            cancelled = true;
          },
        });
      const backend = createTestBackend();
      const answers = answering(async () => new Response(endless()));
      await hosted(create, { ...backend, ...answers }, backend, async ({ url }) => {
        const reader = await wire(url);
        reader.hold();
        await reader.write(head(`${url}/forms/v1/forms`, {}, "GET"));
        // The buffers of both sides fill up first; then nothing more is pulled.
        let before = -1;
        const still = (): boolean => {
          const held = pulled > 0 && pulled === before;
          before = pulled;
          return held;
        };
        await expect.poll(still, { interval: 200, timeout: 15_000 }).toBe(true);
        expect(pulled).toBeLessThan(1000);
        reader.close();
        await eventually("the source's end", () => cancelled);
      });
    },
  },
  {
    name: "a client that goes away aborts the request's signal",
    run: async (create) => {
      const backend = createTestBackend();
      let begun = false;
      let aborted = false;
      const answers = answering(async ({ signal }) => {
        begun = true;
        if (!signal.aborted) await once(signal, "abort");
        aborted = true;
        return new Response("too late");
      });
      await hosted(create, { ...backend, ...answers }, backend, async ({ url }) => {
        const client = await wire(url);
        await client.write(head(`${url}/forms/v1/forms`, {}, "GET"));
        await eventually("the request", () => begun);
        client.close();
        await eventually("the abort", () => aborted);
      });
    },
  },
  {
    name: "a failure outside the backend is the host's, which answers 500 and lives on",
    run: async (create) => {
      const backend = createTestBackend();
      const answers = answering(async ({ url }) => {
        if (new URL(url).pathname.endsWith("/v1/forms")) throw new Error("boom");
        return new Response("fine");
      });
      await hosted(create, { ...backend, ...answers }, backend, async ({ url }) => {
        expect((await fetch(`${url}/forms/v1/forms`)).status).toBe(500);
        expect(await (await fetch(`${url}/forms/v1/me`)).text()).toBe("fine");
      });
    },
  },
];

const answering = (handle: Answer): Pick<FormBackend, "fetch" | "handle"> => ({ handle, fetch: (r) => handle(r, {}) });

async function hosted(
  create: Create,
  backend: FormBackend,
  real: TestBackend,
  use: (host: RunningHost) => Promise<void>,
): Promise<void> {
  const host = await create({ backend, preParsed: false, options: {} });
  try {
    await use(host);
  } finally {
    await host.close();
    await real.close();
  }
}
