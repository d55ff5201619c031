import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { formats } from "../../../../src/features/webhooks/formats/table.ts";
import type { FormatEvent } from "../../../../src/features/webhooks/formats/types.ts";
import { describeBrowser } from "../../../_support/browser.ts";
import { eventOf, hostile, urls } from "../../../_support/format-events.ts";

const renderer = createRequire(import.meta.url).resolve("adaptivecards/dist/adaptivecards.min.js");

const cardOf = (event: FormatEvent): unknown => {
  const body = formats.teams.body(event, new URL(urls.teams));
  return (JSON.parse(body) as { attachments: { content: unknown }[] }).attachments[0]?.content;
};

interface Drawn {
  readonly text: string;
  readonly tags: string[];
  readonly wide: boolean;
}

/** Microsoft's renderer draws a card into the page, which has no other content. */
function draw(card: unknown): Drawn {
  // biome-ignore lint/suspicious/noExplicitAny: a global of the page, made by the renderer's script.
  const { AdaptiveCard } = (globalThis as any).AdaptiveCards;
  const adaptive = new AdaptiveCard();
  adaptive.parse(card);
  const page = (globalThis as unknown as { document: { body: Body } }).document;
  const shown = adaptive.render() as Body;
  page.body.replaceChildren(shown);
  return {
    text: page.body.innerText,
    tags: [...new Set([...shown.querySelectorAll("*")].map(({ tagName }) => tagName.toLowerCase()))].sort(),
    wide: page.body.scrollWidth > page.body.clientWidth,
  };
}

interface Body {
  replaceChildren(child: Body): void;
  querySelectorAll(selector: string): Iterable<{ tagName: string }>;
  readonly innerText: string;
  readonly scrollWidth: number;
  readonly clientWidth: number;
}

describeBrowser("an Adaptive Card", (browser) => {
  test("shows fields as they were written, by Microsoft's renderer", async () => {
    const page = await browser().newPage({ viewport: { width: 500, height: 700 } });
    await page.addScriptTag({ path: renderer });
    const event = eventOf({
      name: "Contact",
      fields: [
        { key: "name", value: "Ada Lovelace" },
        { key: "email", value: "ada@example.com" },
        {
          key: "message",
          value:
            "Dear team,\n\n**not bold**, [no link](https://evil.example)\n- no list\n<at>nobody</at>\n{{DATE(2017-02-14T06:00:00Z,SHORT)}}",
        },
      ],
      files: [{ key: "cv", name: "Ada’s résumé.pdf" }],
    });
    const drawn = await page.evaluate(draw, cardOf(event));
    const folder = process.env["SCREENSHOTS"];
    if (folder) await page.screenshot({ path: `${folder}/adaptive-card.png` });
    for (const text of ["New submission: Contact", "Ada Lovelace", "ada@example.com", "Dear team,", "Ada’s résumé.pdf"])
      expect(drawn.text).toContain(text);
    for (const text of [
      "**not bold**, [no link](https://evil.example)",
      "- no list",
      "<at>nobody</at>",
      "DATE(2017-02-14T06:00:00Z,SHORT)}}",
    ])
      expect(drawn.text).toContain(text);
    expect(drawn.wide).toBe(false);
    await page.close();
  });

  test("has no element of a visitor's, whatever is submitted", { timeout: 120_000 }, async () => {
    const page = await browser().newPage({ viewport: { width: 500, height: 700 } });
    await page.addScriptTag({ path: renderer });
    const tags = new Set<string>();
    for (const event of hostile) for (const tag of (await page.evaluate(draw, cardOf(event))).tags) tags.add(tag);
    // A link is ours: a file's.
    expect([...tags].sort()).toEqual(["a", "div", "span"]);
    await page.close();
  });
});
