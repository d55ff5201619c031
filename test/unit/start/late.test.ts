import { expect, it, vi } from "vitest";
import { z } from "zod";
import type { FormBackendOptions } from "../../../src/core/options/types.ts";
import { memoryStorage } from "../../../src/drivers/storage/memory.ts";
import { late } from "../../../src/lib/late.ts";
import { createBackend } from "../../../src/surfaces/form-backend.ts";
import { inbox } from "../../../src/surfaces/inbox/index.ts";
import { mcp, protectedResourceMetadata } from "../../../src/surfaces/mcp/index.ts";
import * as engine from "../../../src/surfaces/mount.ts";
import { createTestBackend } from "../../../src/surfaces/testing/backend.ts";

const baseUrl = "https://app.example.com/forms";
const logger = { debug() {}, info() {}, warn() {}, error: vi.fn() };
const post = (id: string, fields: Record<string, string>) =>
  new Request(`${baseUrl}/f/${id}`, {
    method: "POST",
    headers: { accept: "application/json" },
    body: new URLSearchParams(fields),
  });

/** A backend whose parts arrive when `arrive` is called. */
function waiting(options: Partial<FormBackendOptions> = {}) {
  let arrive = (): void => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const load = vi.fn(async () => {
    await arrived;
    return engine;
  });
  return { backend: createBackend({ baseUrl, logger, work: false, ...options }, { load }), load, arrive };
}

it("loads a part once, and tries again after a failure", async () => {
  const load = vi.fn<() => Promise<number>>().mockRejectedValueOnce(new Error("gone")).mockResolvedValue(7);
  const part = late(load);
  await expect(part.load()).rejects.toThrow("gone");
  expect(part.now()).toBeUndefined();
  expect(await Promise.all([part.load(), part.load()])).toEqual([7, 7]);
  expect([part.now(), load.mock.calls.length]).toEqual([7, 2]);
});

it("takes calls in their order before the parts are there", async () => {
  const { backend, load, arrive } = waiting();
  const seen: string[] = [];
  backend.on("form.created", ({ name }) => seen.push(name));
  const form = backend.forms.create({ name: "A" });
  const health = backend.health();
  expect(load).toHaveBeenCalledTimes(1);
  arrive();
  expect(await health).toMatchObject({ status: "ok" });
  expect((await form).name).toBe("A");
  expect(seen).toEqual(["A"]);
  await backend.close();
});

it("validates with a schema that was registered before the parts were there", async () => {
  const storage = memoryStorage();
  const form = await createTestBackend({ baseUrl, storage }).forms.create({ name: "A" });
  const { backend, arrive } = waiting({ storage });
  expect(() => backend.forms.useSchema(form.id, {} as never)).toThrow("must be a Standard Schema");
  backend.forms.useSchema(form.id, z.object({ email: z.email() }));
  const answer = backend.fetch(post(form.id, { email: "no" }));
  arrive();
  expect((await answer).status).toBe(422);
  await backend.close();
});

it("refuses everything after close, also when close came first of all", async () => {
  const { backend, arrive } = waiting();
  const closed = backend.close();
  const answer = backend.fetch(new Request(`${baseUrl}/v1/forms`));
  arrive();
  await closed;
  expect((await answer).status).toBe(503);
});

it("responds with 503 while the parts can't be loaded, and works once they can", async () => {
  const load = vi.fn(async () => engine).mockRejectedValueOnce(new Error("Cannot find module engine.js"));
  const backend = createBackend({ baseUrl, logger, work: false }, { load });
  const response = await backend.fetch(new Request(`${baseUrl}/v1/forms`));
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await response.json()).toMatchObject({ error: { code: "unavailable" } });
  expect(logger.error).toHaveBeenCalledWith(expect.stringContaining("Cannot find module engine.js"));
  expect((await backend.fetch(new Request(`${baseUrl}/v1/health`))).status).toBe(200);
  await backend.close();
});

it("knows at once what an inbox and an MCP server need to know at once", async () => {
  const embed = { origins: ["https://app.example.com"] };
  expect(() => createBackend({ baseUrl: "http://a.example/forms", inbox: inbox({ embed }) })).toThrow(
    "`embed` needs a `baseUrl` with https",
  );
  const backend = createBackend({ baseUrl, mcp: mcp() }, { load: () => new Promise(() => {}) });
  expect(await protectedResourceMetadata(backend).json()).toMatchObject({ resource: `${baseUrl}/mcp` });
});
