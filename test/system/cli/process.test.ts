import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { formBackend } from "../../../adapters/node.ts";
import { createTestBackend } from "../../../src/surfaces/testing/backend.ts";
import { freePort } from "../../_support/port.ts";
import { temporaryDirectory } from "../../_support/temporary.ts";
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
  await new Promise<void>((resolve) => child.stderr?.once("data", () => resolve()));
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ code: 0, signal: null, out: "" });
});

it("runs everything in an empty folder, survives kill -9, and stops at SIGTERM", async () => {
  const cwd = temporaryDirectory();
  const begin = async () => {
    const { child, ended } = start(["dev", "--port", "0", "--json"], { cwd });
    const [line] = (await once(child.stdout!, "data")) as [Buffer];
    return { child, ended, first: JSON.parse(String(line)) as Record<string, string> };
  };
  const one = await begin();
  const body = new URLSearchParams({ email: "ann@example.com", message: "Hello" });
  const answer = await fetch(one.first["endpoint"]!, { method: "POST", body, headers: { accept: "application/json" } });
  expect(answer.status).toBe(200);
  one.child.kill("SIGKILL");
  await one.ended;

  const two = await begin();
  const listed = await command(["submissions", "list", "contact", "--json"], {
    env: { FORM_BACKEND_URL: two.first["url"]!, FORM_BACKEND_KEY: two.first["key"]! },
  });
  expect(listed.out.trim().split("\n")).toHaveLength(1);
  const webhooks = async (): Promise<string> => (await fetch(two.first["webhooks"]!)).text();
  // The lease of the killed process, 8 s, has to end first.
  await vi.waitFor(async () => expect(await webhooks()).toContain("✓ verified"), { timeout: 120_000, interval: 500 });
  two.child.kill("SIGTERM");
  expect(await two.ended).toMatchObject({ code: 0, signal: null });
});

it("applies a file of forms in TypeScript where the package is not installed, and has nothing to plan afterwards", async () => {
  const cwd = temporaryDirectory();
  const source = `import { defineForms, env } from "form-backend/config";
const owner: string = "owner@example.com";
export default defineForms({ forms: {
  jobs: { name: "Jobs", self_email_notification: { recipients: [owner] }, webhooks: { crm: { url: env("CRM_URL") } } },
} });
`;
  writeFileSync(join(cwd, "forms.config.ts"), source);
  const options = { cwd, env: { ...env, CRM_URL: "https://crm.example.com/in" } };
  expect(await command(["plan", "--detailed-exitcode"], options)).toMatchObject({ code: 2, err: "" });
  const applied = await command(["apply"], options);
  expect(applied.code).toBe(0);
  expect(applied.out + applied.err).not.toContain("crm.example.com");
  const after = await command(["plan", "--detailed-exitcode"], options);
  expect(after).toMatchObject({ code: 0, out: "No changes: the forms match the file.\n" });
  expect(await command(["plan"], { cwd, env })).toMatchObject({ code: 64 });
});

it("names the file and the form of a value that the API would refuse", async () => {
  const cwd = temporaryDirectory();
  const file = join(cwd, "forms.config.json");
  writeFileSync(file, JSON.stringify({ forms: { jobs: { settings: { spam: { threshold: "extreme" } } } } }));
  const { code, out, err } = await command(["plan"], { cwd, env });
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain(`${file}: in \`forms.jobs.settings\`: \`spam.threshold\` must be one of low, normal, high.`);
});

it("serves with production's variables, and its container's health check sees when it is gone", async () => {
  const port = String(await freePort());
  const env = { PORT: port, NODE_ENV: "production", FORM_BACKEND_SECRET: "0123456789".repeat(4) };
  const check = async (): Promise<number> => {
    const script = resolve(import.meta.dirname, "../../../examples/standalone/health.mjs");
    const [code] = (await once(spawn(process.execPath, [script], { env: { PORT: port } }), "close")) as [number];
    return code;
  };
  const { child, ended } = start(["serve", "--json"], { cwd: temporaryDirectory(), env });
  await once(child.stdout!, "data");
  expect(await check()).toBe(0);
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0, signal: null });
  expect(await check()).toBe(1);
});
