import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { pages, root } from "./_blocks.ts";

const read = (page: string): string => readFileSync(join(root, page), "utf8").replace(/^ *```[\s\S]*?^ *```$/gm, "");

/** As GitHub and VitePress make them of headings without much in them. */
const slug = (heading: string): string =>
  heading
    .replace(/`/g, "")
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .trim()
    .replaceAll(" ", "-");

const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) => slug(text));

describe("links between pages", () => {
  it.each(pages)("%s leads to what is there", (page) => {
    const broken = [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(
      ([link, target = "", anchor]) => {
        const to = target === "" ? page : normalize(join(dirname(page), target));
        if (!existsSync(join(root, to))) return [link];
        const isPage = to.endsWith(".md") && statSync(join(root, to)).isFile();
        return anchor && isPage && !anchorsOf(to).includes(anchor) ? [link] : [];
      },
    );
    expect(broken).toEqual([]);
  });

  it("are in the sidebar for every page of the site", () => {
    const sidebar = readFileSync(join(root, "docs/.vitepress/config.ts"), "utf8").toLowerCase();
    const hidden = pages
      .filter((page) => page.startsWith("docs/") && page !== "docs/index.md")
      .map((page) =>
        page
          .slice("docs".length, -".md".length)
          .replace(/README$/, "")
          .toLowerCase(),
      )
      // The index of the decisions lists each of them; test/guards/docs.test.ts checks it.
      .filter((page) => !/^\/decisions\/\d{4}-/.test(page))
      // The sidebar lists hosts by name only.
      .filter((page) => !sidebar.includes(`"${page.replace("/hosts/", "")}"`));
    expect(hidden).toEqual([]);
  });
});

describe("docs/security.md", () => {
  it("names tests that are there", () => {
    const named = [...readFileSync(join(root, "docs/security.md"), "utf8").matchAll(/`(test\/[^`]+)`/g)].map(
      ([, path = ""]) => path,
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("quotes the names of tests as they are", () => {
    const quoted = readFileSync(join(root, "docs/security.md"), "utf8").matchAll(/`(test\/[^`]+)`: “([^”]+)”/g);
    const tests = [...quoted].map(([, path = "", name = ""]) => ({ path, name }));
    expect(tests.length).toBeGreaterThan(20);
    const gone = tests.filter(({ path, name }) => !readFileSync(join(root, path), "utf8").includes(`"${name}"`));
    expect(gone).toEqual([]);
  });
});

describe("docs/reference/events.md", () => {
  it("has every event", () => {
    const source = readFileSync(join(root, "src/core/events.ts"), "utf8");
    const names = [...source.matchAll(/^ {2}"([a-z.]+)":/gm)].map(([, name = ""]) => name);
    const page = readFileSync(join(root, "docs/reference/events.md"), "utf8");
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
