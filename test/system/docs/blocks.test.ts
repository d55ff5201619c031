import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { headlessChromium } from "../../../scripts/chromium.mjs";
import { hasChromium, launch } from "../../_support/browser.ts";
import { type Block, blocks, pages, root, whereIs } from "./_blocks.ts";
import { compile, parseFaults } from "./_compile.ts";
import { formFaults } from "./_html.ts";
import { follow, installed } from "./_run.ts";

const checked = blocks.filter(({ ignore }) => ignore === null);
const inLanguage = (...languages: string[]): Block[] => checked.filter(({ language }) => languages.includes(language));

/** Commands that a reader is told to type, and nothing else. */
const COMMANDS = new Set(
  "npm npx form-backend node curl openssl touch kill rm cd export cp mkdir sqlite3 pg_dump pg_restore psql git grep rsync kubectl docker".split(
    " ",
  ),
);
const LANGUAGES = new Set([
  "",
  ..."js ts jsx tsx vue svelte json html css sh text http nginx yaml sql dockerfile".split(" "),
]);
/** Blocks that nobody can check here, with what their page says why. */
const IGNORED = [
  "docs/guide/webhooks.md: no Python in the tests; test/unit/features/webhooks/sign.test.ts checks the same computation",
  "docs/internals/floors.md: an excerpt of the sources",
];
const MAX_IGNORED = 6;

/** What pages presume where a block shows only the part that matters, and packages that are not installed here. */
const presumed = ["names.d.ts", "packages.d.ts"].map((file) => join(root, "test/system/docs", file));

describe("code in README and docs", () => {
  it("is in a language that somebody checks, or shows no code", () => {
    expect(
      checked.filter(({ language }) => !LANGUAGES.has(language)).map((block) => `${whereIs(block)} ${block.language}`),
    ).toEqual([]);
  });

  it("compiles, as modules that use the package", { timeout: 300_000 }, async () => {
    expect(inLanguage("js", "ts").length).toBeGreaterThan(50);
    const wrong = (language: string): Block => ({
      ...(blocks[0] as Block),
      page: language,
      line: 1,
      language,
      code: 'createFormBackend({ baseURL: "https://app.example.com" });',
    });
    const faults = await compile([...checked, wrong("js"), wrong("ts")], presumed);
    expect(faults.filter((fault) => !/^[jt]s:1 /.test(fault))).toEqual([]);
    // Two that are wrong on purpose: without them, nobody would know that faults are found.
    expect(faults).toHaveLength(2);
  });

  it("parses where its framework is not installed", () => {
    expect(inLanguage("jsx", "tsx", "vue", "svelte").flatMap(parseFaults)).toEqual([]);
  });

  it("is JSON where it says so", () => {
    const faults = inLanguage("json").flatMap((block) => {
      try {
        JSON.parse(block.code);
        return [];
      } catch (error) {
        return [`${whereIs(block)} ${String(error)}`];
      }
    });
    expect(faults).toEqual([]);
  });

  it("is HTML whose forms would work", () => {
    expect(inLanguage("html").flatMap(formFaults)).toEqual([]);
    const broken = { ...(blocks[0] as Block), code: '<form action="/forms/f/x"><input type="file"><b></form>' };
    expect(formFaults(broken)).toHaveLength(4);
  });

  it("calls commands that readers have", () => {
    const unknown = inLanguage("sh").flatMap((block) =>
      block.code
        .replace(/\\\n/g, " ")
        .replaceAll("$(", "\n")
        .replace(/'[^']*'|"[^"]*"/gs, "''")
        .split(/\n|&&|\|/)
        .map((line) => line.replace(/#.*/, "").trim())
        .filter((line) => line !== "")
        .map((line) => line.split(/\s+/).find((word) => !/^\w+=/.test(word)) ?? "")
        .filter((command) => command !== "" && !COMMANDS.has(command))
        .map((command) => `${whereIs(block)} ${command}`),
    );
    expect(unknown).toEqual([]);
  });

  it("is left alone only where a reason is given", () => {
    expect(blocks.filter(({ ignore }) => ignore !== null).map(({ page, ignore }) => `${page}: ${ignore}`)).toEqual(
      IGNORED,
    );
    expect(IGNORED.length).toBeLessThanOrEqual(MAX_IGNORED);
  });
});

describe("pages that are followed", () => {
  let directory: string;
  beforeAll(async () => {
    directory = await installed();
  }, 300_000);
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const acts = ({ words }: Block): boolean => words.includes("run") || words.includes("start");
  const followed = pages.filter((page) => checked.some((block) => block.page === page && acts(block)));

  it.each(followed)("%s does what it says", { timeout: 300_000 }, async (page) => {
    await follow(
      page,
      checked.filter((block) => block.page === page),
      directory,
    );
  });

  const browserPage = checked.filter(({ page }) => page === "docs/guide/browser.md");
  if (hasChromium) {
    it("docs/guide/browser.md keeps the visitor on the page, and says what is wrong", {
      timeout: 300_000,
    }, async () => {
      const browser = await launch();
      const visit = async (origin: string): Promise<void> => {
        const page = await browser.newPage();
        await page.goto(origin, { waitUntil: "networkidle" });
        await page.getByLabel("Email").fill("ann");
        await page.getByRole("button").click();
        const fault = await page.locator(".form-backend-error").textContent();
        expect(fault).toBe("The email must be a valid email address.");
        await page.getByLabel("Email").fill("ann@example.com");
        await page.getByRole("button").click();
        await page.getByText("Your submission has been received.").waitFor();
        expect(page.url()).toBe(`${origin}/`);
      };
      try {
        await follow("docs/guide/browser.md", browserPage, directory, visit);
      } finally {
        await browser.close();
      }
    });
  } else {
    it(`docs/guide/browser.md was not opened: ${headlessChromium} is missing (CHROMIUM_PATH may name another one)`, () => {
      expect(process.env["REQUIRE_SERVICES"]).not.toBe("1");
    });
  }

  it("are most of the guide", () => {
    expect(followed.filter((page) => page.startsWith("docs/guide/")).length).toBeGreaterThanOrEqual(8);
  });
});
