import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { formBackend } from "../../../adapters/node.ts";
import { createTestBackend } from "../../../src/testing/backend.ts";
import { CLI, command, start } from "./_command.ts";

const backend = createTestBackend({ rateLimit: false });
const server = createServer(formBackend(backend));
let env: Record<string, string>;
let id: string;

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  env = { FORM_BACKEND_URL: `http://127.0.0.1:${port}/forms`, FORM_BACKEND_KEY: backend.key };
  ({ id } = await backend.forms.create({ name: "Contact" }));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await backend.close();
});

it("ends with the documented codes", async () => {
  const unset = await command(["forms", "list"]);
  expect(unset).toMatchObject({ code: 64, out: "" });
  expect(unset.err).toContain("FORM_BACKEND_URL is not set");
});

it("works over the network, from the built file", async () => {
  const { code, out, err } = await command(["forms", "list", "--json"], { env });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(out)).toMatchObject({ id, name: "Contact" });
  expect(await command(["forms", "list"], { env: { ...env, FORM_BACKEND_KEY: "fb_live_x" } })).toMatchObject({
    code: 3,
  });
  const unknown = await command(["form"], { env });
  expect(unknown).toMatchObject({ code: 64, out: "" });
  expect(unknown.err).toContain("Did you mean forms?");
});

it("ends with 0 and in silence when the reader of a long output leaves", async () => {
  for (let i = 0; i < 300; i++) await backend.submit(id, { fields: { text: "x".repeat(3_000) } });
  const line = `"${process.execPath}" "${CLI}" submissions list ${id} --limit 300 --json; echo "code $?" >&2`;
  const shell = spawn("bash", ["-c", `{ ${line}; } | head -c 100`], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let err = "";
  shell.stderr.on("data", (part) => {
    err += String(part);
  });
  await once(shell, "close");
  expect(err).toBe("code 0\n");
});

it("stops following at Ctrl-C with 0", async () => {
  const { child, ended } = start(["submissions", "tail", id], { env });
  await new Promise<void>((resolve) => child.stderr?.on("data", () => resolve()));
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ code: 0, signal: null, out: "" });
});
