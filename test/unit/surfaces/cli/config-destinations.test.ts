import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { WebhookCreate } from "../../../../src/index.ts";
import { databaseUrl, tableUrl } from "../../../_support/destinations/fakes.ts";
import { fileUrl, keyFile } from "../../../_support/destinations/google.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { connected } from "../../../_support/terminal.ts";

const destinations: readonly (WebhookCreate & { secret: string; variables: readonly string[] })[] = [
  {
    url: "https://api.example.com/contacts",
    format: "http",
    config: { headers: { Authorization: "Bearer topsecret1234" }, body: '{"a":{{all_fields}}}' },
    secret: "topsecret",
    variables: ["HTTP_DESK_AUTHORIZATION"],
  },
  {
    url: fileUrl,
    format: "google_sheets",
    config: { credentials: keyFile },
    secret: keyFile.private_key.slice(100, 140),
    variables: ["GOOGLE_SHEETS_DESK_CREDENTIALS"],
  },
  {
    url: tableUrl,
    format: "airtable",
    config: { token: "pat.canary" },
    secret: "pat.canary",
    variables: ["AIRTABLE_DESK_TOKEN"],
  },
  {
    url: databaseUrl,
    format: "notion",
    config: { token: "ntn_canary" },
    secret: "ntn_canary",
    variables: ["NOTION_DESK_TOKEN"],
  },
  {
    format: "mailchimp",
    config: { api_key: "ca0a4ca0a4-us21", list_id: "a1b2c3", merge_fields: { FNAME: "name" } },
    secret: "ca0a4ca0a4",
    variables: ["MAILCHIMP_DESK_API_KEY"],
  },
  { format: "hubspot", config: { token: "pat-eu1-canary" }, secret: "canary", variables: ["HUBSPOT_DESK_TOKEN"] },
];

it.each(destinations)(
  "a destination of the format $format is pulled with env(), and planned without its secret",
  async ({ secret, variables, ...body }) => {
    const cwd = temporaryDirectory();
    const { cli, backend, io } = connected({ cwd });
    const form = await backend.forms.create({
      name: "Contact",
      settings: { key: (body.format ?? "").replaceAll("_", "-") },
    });
    await backend.webhooks.create(form.id, { ...body, description: "desk" });
    expect((await cli("pull", "--output", "forms.config.mjs")).code).toBe(0);
    const path = join(cwd, "forms.config.mjs");
    const source = readFileSync(path, "utf8");
    for (const name of variables) expect(source).toContain(`env("${name}")`);
    expect(source).not.toContain(secret);
    const entry = join(process.cwd(), "src/surfaces/config/index.ts");
    writeFileSync(path, source.replace('"form-backend/config"', JSON.stringify(entry)));
    const [variable = ""] = variables;
    const { headers, token, api_key, credentials } = body.config ?? {};
    const value = headers?.["Authorization"] ?? token ?? api_key ?? JSON.stringify(credentials);
    Object.assign(io.env, { [variable]: value });
    const same = await cli("plan");
    expect(same).toMatchObject({ code: 0, out: "No changes: the forms match the file.\n" });
    writeFileSync(
      path,
      readFileSync(path, "utf8")
        .replace('description: "desk"', 'description: "front"')
        .replace("enabled: true", "enabled: false"),
    );
    const plan = await cli("plan");
    expect(plan.out + plan.err).not.toContain(secret);
  },
);
