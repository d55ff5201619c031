import { describe, expect, it } from "vitest";
import { createTestBackend } from "../../../../src/surfaces/testing/index.ts";

function warned(baseUrl: string): { warnings: string[]; get(path: string): Promise<number> } {
  const warnings: string[] = [];
  const quiet = (): void => {};
  const logger = { debug: quiet, info: quiet, error: quiet, warn: (text: string) => void warnings.push(text) };
  const backend = createTestBackend({ baseUrl, logger });
  const get = async (path: string): Promise<number> =>
    (await backend.fetch(new Request(new URL(path, baseUrl)))).status;
  return { warnings, get };
}

describe("a mount path that is not that of baseUrl", () => {
  it("is said once, with both paths", async () => {
    const { warnings, get } = warned("https://example.com/forms");
    expect(await get("/contact/f/AAAAAAAAAAA")).toBe(404);
    expect(await get("/contact/v1/forms")).toBe(404);
    expect(warnings).toEqual([
      'a request for "/contact/f/AAAAAAAAAAA" reached the form backend, which responds under "/forms" because `baseUrl` is ' +
        '"https://example.com/forms"; mount it there, or put the path where it is mounted into `baseUrl`',
    ]);
  });

  it("is found where baseUrl has no path", async () => {
    const { warnings, get } = warned("https://example.com");
    await get("/forms/f/AAAAAAAAAAA");
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('responds under "/"');
  });

  it("is not mistaken for a request that merely finds nothing", async () => {
    const { warnings, get } = warned("https://example.com/forms");
    const paths = [
      "/",
      "/wp-admin/setup.php",
      "/formsf/x",
      "/forms",
      "/forms/nothing/f/x",
      "/forms/f",
      "/f/AAAAAAAAAAA",
      "/v1/nothing/f",
    ];
    for (const path of paths) await get(path);
    expect(warnings).toEqual([]);
  });
});
