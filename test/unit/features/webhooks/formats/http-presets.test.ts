import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { assertTemplate, filled } from "../../../../../src/features/webhooks/formats/http-template.ts";

/** The bodies as the services document them, as far as the page uses them. */
const documented: Readonly<Record<string, z.ZodType>> = {
  Brevo: z.strictObject({ email: z.string(), updateEnabled: z.boolean() }),
  Pipedrive: z.strictObject({ name: z.string().min(1), email: z.array(z.string()).min(1) }),
  Supabase: z.strictObject({ id: z.string(), data: z.record(z.string(), z.unknown()) }),
  "GitHub dispatch": z.strictObject({
    event_type: z.string().min(1).max(100),
    client_payload: z.record(z.string(), z.unknown()).refine((one) => Object.keys(one).length <= 10),
  }),
  "ConvertKit (Kit)": z.strictObject({ email_address: z.string(), first_name: z.string() }),
  Linear: z.strictObject({
    query: z.string().regex(/^mutation\(\$input: IssueCreateInput!\) \{ issueCreate\(input: \$input\)/),
    variables: z.strictObject({
      input: z.strictObject({ teamId: z.string(), title: z.string(), description: z.string() }),
    }),
  }),
  Trello: z.strictObject({ idList: z.string(), name: z.string(), desc: z.string() }),
  Pushover: z.strictObject({ token: z.string(), user: z.string(), title: z.string(), message: z.string().min(1) }),
};

const page = readFileSync("docs/guide/destinations.md", "utf8");
const rows = page
  .slice(page.indexOf("\n## Services"))
  .split("\n")
  .filter((line) => /^\| .*`https:/.test(line))
  .map((line) => line.split(" | "))
  .map(([service = "", url = "", , body = ""]) => ({
    service: service.replace(/^\| /, ""),
    url: url.replaceAll("`", ""),
    body: body.replace(/^`|` \|$/g, ""),
  }));

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

describe("the services of the page about HTTP APIs", () => {
  it("are all described here", () => {
    expect(rows.map(({ service }) => service).sort()).toEqual(Object.keys(documented).sort());
  });

  it.each(rows)("$service gets a body as it documents", async ({ service, url, body }) => {
    expect(URL.canParse(url.replaceAll(/[<>]/g, ""))).toBe(true);
    assertTemplate(body, "application/json");
    const sent: unknown = JSON.parse(await filled(body, "application/json", event));
    expect(documented[service]?.safeParse(sent).error).toBeUndefined();
    expect(JSON.stringify(sent)).toContain("😀");
  });
});
