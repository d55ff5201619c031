import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const read = (file: string): string => readFileSync(file, "utf8");
const page = (name: string): string => read(join("docs", name));
const examples = readdirSync("examples", { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "node_modules")
  .map(({ name }) => name)
  .sort();

describe("docs/features.md", () => {
  const rows = page("features.md")
    .split("\n")
    .filter((line) => /^\| (?!Feature|---)/.test(line) && !line.startsWith("|---"))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map(([, feature = "", link = "", example = "", test = ""]) => ({ feature, link, example, test }));

  it("has a page, an example and a test for every feature", () => {
    expect(rows.length).toBeGreaterThan(40);
    const faults = rows.flatMap(({ feature, link, example, test }) => {
      const [, target = ""] = /^\[[^\]]+\]\(([^)#]+\.md)(?:#[\w-]+)?\)$/.exec(link) ?? [];
      const there = target !== "" && existsSync(join("docs", target));
      const shown =
        example === "on the page" ? there && page(target).includes("```") : examples.includes(example.slice(1, -1));
      return [
        ...(there ? [] : [`${feature}: no page`]),
        ...(shown ? [] : [`${feature}: no example`]),
        ...(/^`test\/.+\.test\.ts`$/.test(test) && existsSync(test.slice(1, -1)) ? [] : [`${feature}: no test`]),
      ];
    });
    expect(faults).toEqual([]);
  });

  it("names no feature twice", () => {
    const names = rows.map(({ feature }) => feature);
    expect(names).toEqual([...new Set(names)]);
  });
});

it("docs/examples.md has every example, and each has a README", () => {
  const listed = [...page("examples.md").matchAll(/^\| \[([\w-]+)\]\(\.\.\/examples\/\1\/README\.md\) \|/gm)];
  expect(listed.map(([, name = ""]) => name).sort()).toEqual(examples);
  expect(examples.filter((name) => !existsSync(join("examples", name, "README.md")))).toEqual([]);
});

describe("words that readers search for", () => {
  it.each([
    ["docker", "operations/containers.md"],
    ["kubernetes", "operations/containers.md"],
    ["translate", "guide/languages.md"],
    ["time zone", "guide/statistics.md"],
    ["troubleshooting", "operations/troubleshooting.md"],
    ["nestjs", "hosts/express.md"],
    ["resend", "drivers/mail-services.md"],
    ["postmark", "drivers/mail-services.md"],
    ["ses", "drivers/mail-services.md"],
    ["spf", "guide/deliverability.md"],
    ["dkim", "guide/deliverability.md"],
    ["zapier", "guide/automation.md"],
    ["admin", "guide/inbox.md"],
    ["lambda", "operations/serverless.md"],
    ["my mail does not arrive", "operations/troubleshooting.md"],
    ["401", "operations/troubleshooting.md"],
    ["404 under my path", "operations/troubleshooting.md"],
    ["429 behind a proxy", "operations/troubleshooting.md"],
    ["webhook is not delivered", "operations/troubleshooting.md"],
  ])("%s is on %s", (word, file) => {
    expect(page(file).toLowerCase()).toMatch(new RegExp(`\\b${word}`));
  });
});

describe("the site", () => {
  const config = read("docs/.vitepress/config.ts");

  it("has the version, the changelog and links to edit a page in its header and footer", () => {
    expect(config).toMatch(/text: version,\s+items: \[\s+page\("Changelog", "\/changelog"\)/);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of one.
    expect(config).toContain("editLink: { pattern: `${repository}/edit/main/docs/:path`");
  });

  it("keeps design, sizing and benchmarks under Internals", () => {
    const internals = config.slice(config.indexOf('text: "Internals"'));
    for (const link of [
      "/design",
      "/decisions/",
      "/operations/sizing",
      "/operations/benchmarks",
      "/internals/how-it-works",
    ])
      expect(internals).toContain(`"${link}"`);
  });
});

describe("docs/decisions", () => {
  const files = readdirSync("docs/decisions").filter((file) => file !== "README.md");

  it("numbers the decisions from 1, each with its day and a status", () => {
    expect(files.length).toBeGreaterThan(70);
    expect(files.map((file) => Number.parseInt(file, 10))).toEqual(files.map((_, at) => at + 1));
    const faults = files.filter(
      (file) =>
        !/^# .+\n\nDecided \d{4}-\d\d-\d\d\. Status: (accepted|replaced by .+)\.\n\n\S/.test(page(`decisions/${file}`)),
    );
    expect(faults).toEqual([]);
  });

  it("are all in the index, under their titles", () => {
    const index = page("decisions/README.md");
    const titleOf = (file: string): string => page(`decisions/${file}`).split("\n")[0]?.slice(2) ?? "";
    const missing = files.filter((file) => !index.includes(`- [${file.slice(0, 4)}](./${file}) ${titleOf(file)}\n`));
    expect(missing).toEqual([]);
    expect(index.match(/^- /gm)).toHaveLength(files.length);
  });
});

it("docs/internals/slips.md: every slip is graded A or B now, by a test that is there", () => {
  const [table = ""] = page("internals/slips.md").split("\n## ");
  const rows = table
    .split("\n")
    .filter((line) => /^\| (?!Slip|---)/.test(line))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  expect(rows.length).toBeGreaterThan(15);
  const faults = rows.flatMap(([, slip = "", before = "", now = "", , test = ""]) => {
    const [, file = "", name = ""] = /^`(test\/.+\.test\.ts)`: “(.+)”$/.exec(test) ?? [];
    if (!/^[ABCD]$/.test(before) || !/^[AB]$/.test(now)) return [`${slip}: ${before} → ${now}`];
    return existsSync(file) && read(file).includes(name) ? [] : [`${slip}: no test “${name}” in ${file}`];
  });
  expect(faults).toEqual([]);
});

describe("figures of README", () => {
  const readme = read("README.md");
  const bench = page("operations/benchmarks.md");

  it("are those of the last bench", () => {
    /** Ours and the rival's, as they stand in a line of the bench. */
    const figures = (name: string, rival: string): { ours: number; theirs: number } => {
      const start = bench.split("\n").find((text) => text.startsWith(`${name} `) && text.includes(` ${rival} `)) ?? "";
      const [, ours, theirs] = /^\s+([\d.]+)\s+\D*?([\d.]+)\s/.exec(start.slice(name.length).replace(rival, "")) ?? [];
      return { ours: Number(ours), theirs: Number(theirs) };
    };
    const count = (value: number): string => value.toLocaleString("en-US");
    const posts = (rival: string, store: string) => figures(`${store}: accepted/s in Express`, rival);
    const [sqlite, postgres] = ["SQLite, synchronous=FULL", "PostgreSQL"] as const;
    for (const [row, rival] of Object.entries({
      "one transaction, written by hand": "Express by hand",
      "one INSERT": "Express + INSERT",
    }))
      expect(readme).toContain(
        `| ${row} | ${count(posts(rival, sqlite).theirs)} | ${count(posts(rival, postgres).theirs)} |`,
      );
    for (const [row, rival] of Object.entries({
      "one transaction, jobs by pg-boss": "Express + pg-boss",
      "one INSERT, jobs by BullMQ": "Express + BullMQ",
    }))
      expect(readme).toContain(`| ${row} | | ${count(posts(rival, postgres).theirs)} |`);
    const [there, here] = [posts("Express + INSERT", sqlite), posts("Express + INSERT", postgres)];
    expect(readme).toContain(`| **form-backend** | **${count(there.ours)}** | **${count(here.ours)}** |`);
    const webhooks = (store: string, rival: string) => figures(`Deliveries/s, 64 in flight: ours on ${store}`, rival);
    for (const store of ["SQLite", "PostgreSQL"])
      expect(readme).toContain(
        `| **form-backend on ${store}** | **${count(webhooks(store, "graphile-worker").ours)}** |`,
      );
    for (const rival of ["graphile-worker", "pg-boss", "BullMQ", "BullMQ, appendfsync"])
      expect(readme).toContain(`| ${rival} | ${count(webhooks("PostgreSQL", rival).theirs)} |`);
    const alone = figures(`${sqlite}: lone client, ms, in Express`, "Express + INSERT");
    const tail = figures(`${sqlite}: p99 of 50 clients, ms, in Express`, "Express + INSERT");
    expect(readme).toContain(`${alone.ours.toFixed(2)} ms instead of ${alone.theirs.toFixed(2)} ms`);
    expect(readme).toContain(`${Math.round(tail.ours)} ms instead of ${Math.round(tail.theirs)} ms`);
  });

  it("are those of the last run under kill -9", () => {
    const [, accepted, kills, lost, twice] =
      /^kill -9 on SQLite: (\d+) submissions accepted, (\d+) kills, (\d+) lost, (\d+) stored twice/m.exec(bench) ?? [];
    expect(readme.replace(/\s+/g, " ")).toContain(
      `${Number(accepted).toLocaleString("en-US")} submissions accepted while the process was killed ${kills} times with \`kill -9\`, ${lost} lost, ${twice} stored twice.`,
    );
  });

  it("are figures of its text as well: a page out of a million", () => {
    const slowest = (store: string, statistics: boolean): number =>
      Math.ceil(
        Math.max(
          ...bench
            .split("\n")
            .filter(
              (line) =>
                line.startsWith(`${store}, 1000000: `) &&
                !line.includes(": inbox, ") &&
                line.includes("field statistics") === statistics,
            )
            .map((line) => Number(/p99 ms\s+([\d.]+)/.exec(line)?.[1])),
        ),
      );
    const [sqlite, postgres] = [slowest("SQLite", false), slowest("PostgreSQL", false)];
    expect(readme).toContain(`at most ${sqlite} ms on SQLite and ${postgres} ms on PostgreSQL at p99`);
  });

  it("shows a form, the inbox with an answer and the sheet, light and dark, as `npm run pictures` takes them", () => {
    const taken = [...read("scripts/pictures.mjs").matchAll(/await save\("(\w+)"/g)].map(([, name = ""]) => name);
    expect(taken).toEqual(["form", "inbox", "answer", "sheet"]);
    const shown = `${readme}${page("guide/inbox.md").replaceAll("../public", "docs/public")}`;
    for (const name of taken.flatMap((one) => (one === "inbox" ? [one] : [one, `${one}-dark`]))) {
      expect(shown).toContain(`docs/public/${name}.png`);
      expect(existsSync(`docs/public/${name}.png`)).toBe(true);
    }
  });
});
