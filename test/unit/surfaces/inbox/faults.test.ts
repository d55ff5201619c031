import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { MailError } from "../../../../src/drivers/mailer/types.ts";
import type { ApiError } from "../../../../src/errors.ts";
import { parseInput } from "../../../../src/lib/input.ts";
import { type ReasonName, readReason, reasons, reasonText } from "../../../../src/model/spam-reasons.ts";
import { UNVERIFIED } from "../../../../src/model/verdict.ts";
import arabic from "../../../../src/texts/inbox/ar.json";
import german from "../../../../src/texts/inbox/de.json";
import english from "../../../../src/texts/inbox/en.json";
import ar from "../../../../src/texts/locales/ar.ts";
import de from "../../../../src/texts/locales/de.ts";
import { inboxHarness } from "./_inbox.ts";

const sources = ["model", "lib", "features/forms", "features/email-servers", "features/deliveries"]
  .flatMap((folder) =>
    readdirSync(join("src", folder), { recursive: true, encoding: "utf8" }).map((file) => join("src", folder, file)),
  )
  .filter((file) => file.endsWith(".ts"))
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

const messageOf = (schema: z.ZodType, input: unknown): string => {
  try {
    return JSON.stringify(parseInput(z.object({ a: schema }), { a: input }));
  } catch (error) {
    return (error as ApiError).message;
  }
};

describe("the wordings of wrong values", () => {
  it("are those that the checks of input use", () => {
    const { required, empty, number, whole, ...rest } = english.wrong;
    const counted = Object.entries(rest).filter(([, words]) => words.includes("{count}"));
    const others = Object.entries(rest).filter(([, words]) => !words.includes("{count}"));
    expect(others.filter(([, words]) => !sources.includes(words))).toEqual([]);
    const said = [
      messageOf(z.string().max(3), "long"),
      messageOf(z.string().min(3), "x"),
      messageOf(z.array(z.string()).max(1), ["a", "b"]),
      messageOf(z.array(z.string()).min(3), []),
      messageOf(z.number().max(3), 4),
      messageOf(z.number().min(3), 1),
    ];
    for (const [, words] of counted)
      expect(said).toContainEqual(
        `\`a\` ${words.replace(/\{count\}/, String(words.includes("at most {count} entries") ? 1 : 3))}.`,
      );
    expect(messageOf(z.string(), undefined)).toBe(`\`a\` ${required}.`);
    expect(messageOf(z.string().min(1), "")).toBe(`\`a\` ${empty}.`);
    expect(messageOf(z.number(), "x")).toBe(`\`a\` ${number}.`);
    expect(messageOf(z.int(), 1.5)).toBe(`\`a\` ${whole}.`);
  });
});

describe("the refusals in whole sentences", () => {
  it("are those that the code says", () => {
    // The detail of a mail server follows after a colon.
    const said = (words: string): RegExp =>
      new RegExp(
        words
          .replace(/: \{detail\}$/, "")
          .split(/\{\w+\}/)
          .map((part) => part.replace(/[.*+?^${}()|[\]\\`]/g, "\\\\?\\$&"))
          .join("\\$\\{[^}]+\\}"),
      );
    // Put together from two parts.
    const { urlSchemes, urlScheme, senderServer, senderOnly, senderDomains, senderEmpty, ...whole } = english.refused;
    expect(Object.entries(whole).filter(([, words]) => !said(words).test(sources))).toEqual([]);
    expect(sources).toContain(`\`${urlScheme}\${allowHttp ? "${urlSchemes.slice(urlScheme.length)}" : ""}.\``);
    for (const [one, other] of [
      [senderDomains, senderServer],
      [senderEmpty, senderOnly],
    ] as const) {
      expect(sources).toContain(`"${other.slice(one.length)}"`);
      expect(said(one).test(sources)).toBe(true);
    }
  });
});

describe("the reasons of spam", () => {
  it("are read as they were written, and those of other checks are left alone", () => {
    for (const name of Object.keys(reasons) as ReasonName[]) {
      const [check] = reasons[name];
      expect(readReason(check, reasonText(name, 12))?.name, name).toBe(name);
    }
    expect(readReason("links", "12 links")).toEqual({ name: "manyLinks", count: 12 });
    expect(readReason(UNVERIFIED.check, UNVERIFIED.reason ?? "")).toEqual({ name: "unverified", count: 0 });
    for (const [check, text] of [
      ["ours", "12 links"],
      ["phrases", "casino bonus"],
      ["links", "12 links and more"],
      ["links", "9999999999999999999999 links"],
    ] as const)
      expect(readReason(check, text), text).toBeNull();
  });
});

describe.each([
  [
    "de",
    "Darf nicht leer sein.",
    "Auszeichnung aus einem Forum",
    "Höchstens 128 Zeichen.",
    "Eine Angabe fehlt oder ist nicht gültig. `cursor` ",
  ],
  [
    "ar",
    "يجب ألا تكون القيمة فارغة.",
    "شفرة روابط من المنتديات",
    "الحد الأقصى لعدد الأحرف: 128.",
    "إحدى القيم ناقصة أو غير صالحة. `cursor` ",
  ],
])("a page in %s", (locale, empty, markup, long, wrong) => {
  const inLocale = () => {
    const backend = inboxHarness(
      {},
      {
        locales: [de, ar],
        mailer: {
          ...memoryMailer(),
          async verify(server) {
            if (server?.host === "refuses.example.com")
              throw new MailError("ERROR_EMAIL_AUTH", "535 wrong password", { temporary: false });
          },
        },
        spam: { checks: [() => ({ check: "ours", spam: true, score: 0.9, reason: "a sentence of the host" })] },
      },
    );
    return { backend, ann: backend.as({ locale }) };
  };

  it("says in that language what is wrong with a value", async () => {
    const { backend, ann } = inLocale();
    const { id } = await backend.forms.create({ name: "Contact" });
    expect((await ann.post("/new", { name: "" })).text).toContain(empty);
    expect((await ann.post("/new", { name: "x".repeat(129) })).text).toContain(long);
    const { status, text } = await ann.get(`/f/${id}?cursor=nothing`);
    expect(status).toBe(400);
    expect(text.replace(/[\u2066-\u2069]/g, "")).toContain(wrong);
  });

  it("says in that language why an address or a mail server is refused, and what that server said", async () => {
    const { backend, ann } = inLocale();
    const { id } = await backend.forms.create({ name: "Contact" });
    const texts = (locale === "de" ? german : arabic).refused;
    const shown = async (path: string, fields: Record<string, string>): Promise<string> =>
      /<p class="error"[^>]*>(.*?)<\/p>/
        .exec((await ann.post(path, fields)).text)?.[1]
        ?.replace(/[\u2066-\u2069]/g, "") ?? "";
    const plain = (text: string): string => text.replace(/[\u2066-\u2069]/g, "");
    const webhook = (url: string, kind = "standard") => shown(`/f/${id}/webhooks`, { url, kind });
    expect(await webhook("http://example.com/x")).toBe(plain(texts.urlPlain));
    expect(await webhook("https://127.0.0.1/x")).toBe(plain(texts.urlPrivate));
    expect(await webhook("https://example.com:81/x")).toBe(plain(texts.urlPort));
    expect(await webhook("https://example.com/x", "slack")).toMatch(/Slack.*hooks\.slack\.com/);
    expect(await webhook("https://example.com/x", "slack")).not.toMatch(/ not one of /);
    const server = { name: "Ours", host: "smtp.example.com", port: "587", from: "ann@example.com", username: "ann" };
    expect(await shown("/email-servers", server)).toBe(plain(texts.serverBoth));
    const refuses = { ...server, username: "", host: "refuses.example.com" };
    expect(await shown("/email-servers", refuses)).toBe(
      plain(texts.serverLogin).replace("{detail}", "535 wrong password"),
    );
  });

  it("says in that language why something is spam, and leaves the host's words", async () => {
    const { backend, ann } = inLocale();
    const { id } = await backend.forms.create({ name: "Contact" });
    const fields = { email: "x@example.com", message: "Best offer, [url=http://a.example]now[/url]" };
    const { id: spam } = await backend.submit(id, { fields });
    const { text } = await ann.get(`/f/${id}/s/${spam}?tab=spam`);
    expect(text).toContain(markup);
    const { id: theirs } = await backend.submit(id, { fields: { message: "Do you deliver on Sundays?" } });
    expect((await ann.get(`/f/${id}/s/${theirs}?tab=spam`)).text).toContain("a sentence of the host");
    expect(text).not.toContain("markup of a forum");
    expect((await ann.get(`/f/${id}?status=spam`)).text).toContain(markup);
  });
});
