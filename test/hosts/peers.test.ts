import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { install, peerComplaints, run } from "./_install.ts";

// Nitro, nitropack and Nuxt are looked at where they are installed anyway.
const hosts = {
  "Express 5": { express: "5.3.0" },
  "Express 4": { express: "4.22.3" },
  Koa: { koa: "3.3.0" },
  Fastify: { fastify: "5.12.8" },
  Hono: { hono: "4.13.19", "@hono/node-server": "2.1.8" },
  "no framework": {},
};

const dir = await mkdtemp(join(tmpdir(), "form-backend-peers-"));
afterAll(() => rm(dir, { recursive: true, force: true }));

for (const [name, dependencies] of Object.entries(hosts)) {
  await writeFile(join(dir, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  const installed = await install(dir);
  if (!installed) continue;
  it(`${name}: npm install says nothing of peers, and the package imports`, async () => {
    expect(peerComplaints(installed.output)).toEqual([]);
    const script = 'const { createFormBackend } = await import("form-backend"); console.log(typeof createFormBackend);';
    const imported = await run(installed.dir, process.execPath, ["--input-type=module", "-e", script]);
    expect(imported).toEqual({ ok: true, output: "function\n" });
  });
}

await writeFile(join(dir, "package.json"), '{ "private": true, "dependencies": { "nodemailer": "6.9.16" } }');
const complaints = await install(dir).then(
  (installed) => installed && peerComplaints(installed.output),
  (error: Error) => peerComplaints(error.message),
);
if (complaints) {
  it("npm does complain of a nodemailer that is too old, so the silence above means something", () => {
    expect(complaints.join("\n")).toContain("nodemailer");
  });
}
