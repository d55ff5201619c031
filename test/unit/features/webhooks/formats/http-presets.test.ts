import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { assertTemplate, filled } from "../../../../../src/features/webhooks/formats/http-template.ts";
import { type Preset, type PresetId, presets, settingsOf } from "../../../../../src/model/presets.ts";

/** The bodies as the services document them, as far as the presets use them. */
const documented: Readonly<Record<PresetId, z.ZodType>> = {
  brevo: z.strictObject({ email: z.string(), updateEnabled: z.boolean() }),
  pipedrive: z.strictObject({ name: z.string().min(1), email: z.array(z.string()).min(1) }),
  supabase: z.strictObject({ id: z.string(), data: z.record(z.string(), z.unknown()) }),
  github: z.strictObject({
    event_type: z.string().min(1).max(100),
    client_payload: z.record(z.string(), z.unknown()).refine((one) => Object.keys(one).length <= 10),
  }),
  kit: z.strictObject({ email_address: z.string(), first_name: z.string() }),
  linear: z.strictObject({
    query: z.string().regex(/^mutation\(\$input: IssueCreateInput!\) \{ issueCreate\(input: \$input\)/),
    variables: z.strictObject({
      input: z.strictObject({ teamId: z.string(), title: z.string(), description: z.string() }),
    }),
  }),
  trello: z.strictObject({ idList: z.string(), name: z.string(), desc: z.string() }),
  pushover: z.strictObject({ token: z.string(), user: z.string(), title: z.string(), message: z.string().min(1) }),
};

/** The table of the page, made from the presets: secrets are dots, names of places stay in angle brackets. */
function tableOf(): string {
  const dotted = (text: string, { asks }: Preset): string =>
    asks.reduce((left, { name, secret }) => (secret ? left.replaceAll(`<${name}>`, "…") : left), text);
  const lines = presets.map((preset) => {
    const headers = Object.entries(preset.headers).map(([name, value]) => `\`${name}: ${dotted(value, preset)}\``);
    const cells = [preset.service, `\`${preset.url}\``, headers.join(", ") || "none", `\`${preset.body}\``];
    return `| ${cells.join(" | ")} |`;
  });
  return ["| Service | `url` | `headers` | `body` |", "|---|---|---|---|", ...lines].join("\n");
}

const PAGE = resolve(import.meta.dirname, "../../../../../docs/guide/destinations.md");

const fields = ["name", "email", "message"].map((key) => ({ key, value: `${key} "}},\\ \n\ud800 {{name}} 😀` }));
const event = {
  type: "submission.created",
  form: { id: "f1", name: "Contact" },
  submission: {
    id: "019b76dbf7f0392fb2d8d9b5",
    form_id: "f1",
    created_at: "2026-01-01T00:00:00.000Z",
    spam: false,
    ip: null,
    country: null,
    user_agent: null,
    referer: null,
    fields,
    attachments: [],
  },
};

const values = (preset: Preset) =>
  Object.fromEntries(preset.asks.map(({ name }) => [name, name === "project" ? "acme" : `${name} "<key>" \\ {{x}}`]));

describe("the presets of HTTP APIs", () => {
  it("are the table of the page", async () => {
    const page = readFileSync(PAGE, "utf8");
    const written = page.replace(
      /(<!-- presets -->\n)[\s\S]*?(\n<!-- \/presets -->)/,
      (_, before: string, after: string) => before + tableOf() + after,
    );
    await expect(written).toMatchFileSnapshot(PAGE);
    expect(written).toContain(tableOf());
  });

  it("all have the body of their service described here, and use each thing that they ask for", () => {
    expect(presets.map(({ id }) => id).sort()).toEqual(Object.keys(documented).sort());
    for (const { url, headers, body, asks, fields: own } of presets) {
      const text = [url, JSON.stringify(headers), body].join(" ");
      expect([...text.matchAll(/<(\w+)>/g)].map(([, name]) => name)).toEqual(
        expect.arrayContaining(asks.map(({ name }) => name)),
      );
      for (const [, name = ""] of text.matchAll(/<(\w+)>/g))
        expect(asks.map((ask) => ask.name as string)).toContain(name);
      for (const name of own) expect(body).toContain(`{{${name}}}`);
    }
  });

  it.each(presets)("$service gets a body as it documents", async (preset) => {
    const { url, config } = settingsOf(preset, { asks: values(preset) });
    expect(URL.canParse(url)).toBe(true);
    expect(new URL(url).origin).toBe(new URL(preset.url.replace("<project>", "acme")).origin);
    assertTemplate(config.body, "application/json");
    const sent: unknown = JSON.parse(await filled(config.body, "application/json", event));
    expect(documented[preset.id].safeParse(sent).error).toBeUndefined();
    expect(JSON.stringify(sent)).toContain("😀");
  });

  it.each(presets)("$service takes the form's own names of fields", async (preset) => {
    const own = Object.fromEntries(preset.fields.map((name) => [name, `my ${name}`]));
    const { config } = settingsOf(preset, { asks: values(preset), fields: own });
    assertTemplate(config.body, "application/json");
    for (const name of preset.fields) expect(config.body).toContain(`{{my ${name}}}`);
    expect(config.body.match(/\{\{(?!my |x\}|all_fields|submission_id)/g)).toBeNull();
  });
});
