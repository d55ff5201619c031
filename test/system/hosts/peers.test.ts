import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { type Installed, install, peerComplaints, run } from "../../_support/install.ts";

// Nitro, nitropack and Nuxt are looked at where they are installed anyway.
const hosts = {
  "Express 5": { express: "5.3.0" },
  "Express 4": { express: "4.22.3" },
  Koa: { koa: "3.3.0" },
  Fastify: { fastify: "5.12.8" },
  Hono: { hono: "4.13.19", "@hono/node-server": "2.1.8" },
  "no framework": {},
};

const dir = await mkdtemp(join(tmpdir(), "form-backend-beside-"));
afterAll(() => rm(dir, { recursive: true, force: true }));

/** The package beside these, in a folder of their own. */
async function beside(name: string, dependencies: object): Promise<Installed | null> {
  const folder = join(dir, name.replaceAll(" ", "-"));
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  return install(folder);
}

// Beside each other: npm mostly waits for its registry.
const installed = await Promise.all(
  Object.entries(hosts).map(async ([name, dependencies]) => [name, await beside(name, dependencies)] as const),
);
for (const [name, host] of installed) {
  if (!host) continue;
  it(`${name}: npm install says nothing of peers, and the package imports`, async () => {
    expect(peerComplaints(host.output)).toEqual([]);
    const script = 'const { createFormBackend } = await import("form-backend"); console.log(typeof createFormBackend);';
    const imported = await run(host.dir, process.execPath, ["--input-type=module", "-e", script]);
    expect(imported).toEqual({ ok: true, output: "function\n" });
  });
}

const said = await beside("old nodemailer", { nodemailer: "10.4.0" }).then(
  (host) => host?.output,
  (error: Error) => error.message,
);
if (said !== undefined) {
  it("npm does complain of a nodemailer that is too old, so the silence above means something", () => {
    expect(peerComplaints(said).join("\n"), said).toContain("peerOptional nodemailer");
  });
}
