import { resolve } from "node:path";
import { expect, it } from "vitest";
import type { z } from "zod";
import type { Core } from "../../../../src/core/core.ts";
import type { Operation } from "../../../../src/core/http/route.ts";
import { inProcessApi } from "../../../../src/surfaces/api/in-process.ts";
import { routes } from "../../../../src/surfaces/api/table.ts";

/** Files that are needed before the table of routes is loaded, or without it. */
const places = {
  client: resolve(import.meta.dirname, "../../../../src/surfaces/client/addresses.ts"),
  inProcess: resolve(import.meta.dirname, "../../../../src/surfaces/api/in-process/names.ts"),
};

/** Method and path; with a body, also the parameters that go into the query. */
function addressOf({ method, path, body, query }: Operation): string {
  const names = Object.keys((query as z.ZodObject | undefined)?.shape ?? {});
  return `${method} ${path}${body && names.length > 0 ? `?${names.join(",")}` : ""}`;
}

/** A member as the formatter writes it. */
function member(name: string, value: string): string {
  const line = `  ${name}: ${JSON.stringify(value)},`;
  return line.length <= 120 ? line : `  ${name}:\n    ${JSON.stringify(value)},`;
}

it("the client has the address of every row; `npm run operations` writes them", async () => {
  const lines = Object.entries<Operation>(routes).map(([name, row]) => member(name, addressOf(row)));
  await expect(
    `/** Written by \`npm run operations\` from the table of routes. */\nexport const addresses = {\n${lines.join("\n")}\n} as const;\n`,
  ).toMatchFileSnapshot(places.client);
});

it("the calls in process are known before they are loaded; `npm run operations` writes their names", async () => {
  const api = inProcessApi({} as Core, async () => {});
  const names = Object.entries(api).flatMap(([name, part]) =>
    typeof part === "function" ? [name] : Object.keys(part as object).map((call) => `${name}.${call}`),
  );
  const lines = names
    // It waits for nothing, and is in `backend.ts`.
    .filter((name) => name !== "forms.useSchema")
    .sort()
    .map((name) => `  ${JSON.stringify(name)},`);
  expect(new Set(names).size).toBe(names.length);
  await expect(
    `/** Written by \`npm run operations\` from the calls in process. */\nexport const names = [\n${lines.join("\n")}\n] as const;\n`,
  ).toMatchFileSnapshot(places.inProcess);
});
