import { unzipSync } from "fflate";
import { expect, it, onTestFinished } from "vitest";
import type { WebhookCreate } from "../../../../../src/index.ts";
import { databaseUrl, tableUrl } from "../../../../_support/destinations/fakes.ts";
import { fileUrl, keyFile } from "../../../../_support/destinations/google.ts";
import { serviceOn } from "../../../../_support/destinations/server.ts";
import { submitted } from "../../submissions/_submissions.ts";

/** A line of the private key itself. */
const PEM = keyFile.private_key.split("\n")[5] ?? "";
const secrets = {
  http: "topsecret-header-1234",
  airtable: "pat.canary-airtable",
  notion: "ntn_canary-notion",
  mailchimp: "ca0a4ca0a4ca0a4-us21",
  hubspot: "pat-eu1-canary-hubspot",
};
const all = [...Object.values(secrets), PEM];

const destinations: readonly WebhookCreate[] = [
  {
    url: "https://api.example.com/contacts",
    format: "http",
    config: { headers: { authorization: `Bearer ${secrets.http}` }, body: '{"a":{{all_fields}}}' },
  },
  { url: fileUrl, format: "google_sheets", config: { credentials: keyFile } },
  { url: tableUrl, format: "airtable", config: { token: secrets.airtable } },
  { url: databaseUrl, format: "notion", config: { token: secrets.notion } },
  { format: "mailchimp", config: { api_key: secrets.mailchimp, list_id: "a1b2c3" } },
  { format: "hubspot", config: { token: secrets.hubspot } },
];

/** Settings with a fault beside the secret, or in it. */
const faulty: readonly WebhookCreate[] = [
  {
    url: "https://api.example.com/x",
    format: "http",
    config: { headers: { "x-key": `${secrets.http}\r\nx: y` }, body: "{}" },
  },
  {
    url: "https://api.example.com/x",
    format: "http",
    config: { headers: { [`bad name ${secrets.http}`]: "x" }, body: "{" },
  },
  { url: "https://docs.google.com/document/d/1/edit", format: "google_sheets", config: { credentials: keyFile } },
  { url: fileUrl, format: "google_sheets", config: { credentials: `${JSON.stringify(keyFile)}}` } },
  { url: fileUrl, format: "google_sheets", config: { credentials: { ...keyFile, private_key: `${PEM}\nhalf` } } },
  { url: tableUrl, format: "airtable", config: { token: `${secrets.airtable} x` } },
  { url: "https://www.notion.so/x", format: "notion", config: { token: secrets.notion } },
  { format: "mailchimp", config: { api_key: secrets.mailchimp.replace("-us21", ""), list_id: "a1b2c3" } },
  { format: "hubspot", config: { token: `${secrets.hubspot}\n` } },
];

it("is in no answer, log, event, mail, export, dry run or error of any destination, while each service repeats it", async () => {
  const repeating = await serviceOn({
    now: () => 0,
    answer: ({ path, headers, text }) =>
      path === "/token"
        ? { status: 200, json: { access_token: "ya29.canary-token", expires_in: 3_599 } }
        : {
            status: 400,
            json: {
              error: { message: `bad ${headers.authorization} ${text}`, type: "X", status: "INVALID_ARGUMENT" },
              message: `bad ${headers.authorization}`,
              detail: `bad ${headers.authorization}`,
              title: "Invalid Resource",
            },
          },
  });
  onTestFinished(repeating.close);
  const seen: string[] = [];
  const keep = (...values: unknown[]): void =>
    void seen.push(
      values
        .map((value) => (value instanceof Error ? `${value.stack} ${JSON.stringify(value)}` : JSON.stringify(value)))
        .join(" "),
    );
  const service = { apiUrl: repeating.url };
  const b = await submitted({
    logger: { debug: keep, info: keep, warn: keep, error: keep },
    plans: { unlimited: { webhooks_per_form: 20 } },
    integrations: {
      google: { apiUrl: repeating.url, tokenUrl: `${repeating.url}/token` },
      airtable: service,
      notion: service,
      mailchimp: service,
      hubspot: service,
    },
  });
  await b.teams.update("default", { owner: { email: "owner@example.com" } });
  b.on("*", keep);
  const path = `/v1/forms/${b.id}/webhooks`;
  const call = async (method: string, at: string, body?: unknown): Promise<void> => {
    const { text } = await b.call(method, at, body === undefined ? {} : { body });
    seen.push(text);
  };
  for (const body of faulty) {
    const { status, text } = await b.call("POST", path, { body });
    expect([status, text]).toEqual([400, expect.not.stringMatching(/internal/i)]);
    seen.push(text);
  }
  const ids: string[] = [];
  for (const body of destinations) {
    const { json, text } = await b.call("POST", path, { body });
    ids.push(json.id);
    seen.push(text);
  }
  const dry = await b.post(`${b.id}?dry_run=1`, new URLSearchParams({ email: "x@example.com" }), {
    accept: "application/json",
    authorization: `Bearer ${await b.keyWith("all")}`,
  });
  seen.push(dry.text);
  expect(dry.text).toContain("google_sheets");
  await b.submitted({ email: "ada@example.com", name: "Ada" });
  await b.clock.advance(60_000);
  for (const id of ids) {
    const at = `${path}/${id}`;
    await call("POST", `${at}/test`);
    await call("GET", at);
    await call("PATCH", at, { description: "x" });
    await call("PATCH", at, { config: { nonsense: true } });
    await call("GET", `${at}/deliveries`);
    await call("POST", `${at}/backfill`);
  }
  await call("GET", path);
  await call("GET", `/v1/forms/${b.id}`);
  await call("GET", "/v1/audit");
  seen.push(
    JSON.stringify([await b.forms.get(b.id), await b.webhooks.list(b.id), await b.jobs.list({ form_id: b.id })]),
  );
  const zip = new Uint8Array(await new Response(await b.teams.export("default")).arrayBuffer());
  for (const file of Object.values(unzipSync(zip))) seen.push(Buffer.from(file).toString());
  expect(seen.join("")).toContain("mailchimp");
  await b.clock.advance(6 * 24 * 60 * 60_000);
  seen.push(JSON.stringify(b.mails));

  // The services were really called with the secrets, and repeated them.
  const asked = repeating.got.map(({ headers }) => String(headers.authorization)).join(" ");
  for (const secret of [secrets.airtable, secrets.notion, secrets.hubspot, "ya29.canary-token"])
    expect(asked).toContain(secret);
  const basic = Buffer.from(`x:${secrets.mailchimp}`).toString("base64").slice(-12, -4);
  for (const text of seen) {
    for (const secret of all) expect(text).not.toContain(secret);
    expect(text).not.toContain("ya29.canary");
    expect(text).not.toContain(basic);
  }
});
