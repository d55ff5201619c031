// The tables in the pictures of the destinations' pages. The tests' stand-ins for Google Sheets, Airtable, Notion, Mailchimp and HubSpot receive the rows.
import { createJiti } from "jiti";

const load = createJiti(import.meta.url);
const { fileUrl, googleSheets, tab } = await load.import("../test/_support/destinations/google.ts");
const fakes = await load.import("../test/_support/destinations/fakes.ts");

const NOTION = {
  Name: "title",
  Email: "email",
  Message: "rich_text",
  created_at: "date",
  submission_id: "rich_text",
};

/**
 * A stand-in for each service with an account to write to. `webhooks` are the inputs of theirs, `options` the integrations of the
 * backend, and `tables()` the rows that have come, each `{ name, head, rows, lettered? }`, the head as the service calls it.
 */
export async function services(now) {
  const google = await googleSheets(now, [
    tab("Sheet1", [["submission_id", "created_at", "name", "email", "message"]]),
  ]);
  const airtable = await fakes.airtable(now, { fields: ["submission_id", "created_at", "Name", "Email", "Message"] });
  const notion = await fakes.notion(now, NOTION);
  const mailchimp = await fakes.mailchimp(now);
  const hubspot = await fakes.hubspot(now, ["email", "firstname", "message"]);
  const all = { google, airtable, notion, mailchimp, hubspot };
  return {
    options: Object.assign({}, ...Object.values(all).map(({ options }) => options)),
    sheet: { url: fileUrl, format: "google_sheets", config: {} },
    webhooks: [
      { url: fakes.tableUrl, format: "airtable", config: { token: "pat.secret" } },
      { url: fakes.databaseUrl, format: "notion", config: { token: "ntn_secret" } },
      {
        format: "mailchimp",
        config: {
          api_key: "0123456789abcdef-us21",
          list_id: "a1b2c3",
          merge_fields: { FNAME: "name" },
          tags: ["website"],
        },
      },
      {
        format: "hubspot",
        config: { token: "pat-eu1-secret", properties: { firstname: "name", message: "message" } },
      },
    ],
    tables() {
      const [head = [], ...rows] = google.tabs[0].rows;
      return [
        { name: "sheet", head, rows, lettered: true },
        tableOf(
          "airtable",
          ["Name", "Email", "Message", "created_at", "submission_id"],
          [...airtable.records.values()],
        ),
        tableOf(
          "notion",
          Object.keys(NOTION),
          notion.pages.map(({ properties }) =>
            Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, notionText(value)])),
          ),
        ),
        tableOf(
          "mailchimp",
          ["Email address", "FNAME", "Tags", "Status"],
          [...mailchimp.members.values()].map(({ email_address, merge_fields, tags, status }) => ({
            "Email address": email_address,
            FNAME: merge_fields.FNAME,
            Tags: tags.map(({ name }) => name).join(", "),
            Status: status,
          })),
        ),
        tableOf("hubspot", ["email", "firstname", "message"], [...hubspot.contacts.values()]),
      ];
    },
    async close() {
      for (const service of Object.values(all)) await service.close();
    },
  };
}

const tableOf = (name, head, records) => ({
  name,
  head,
  rows: records.map((record) => head.map((column) => record[column] ?? "")),
});

const notionText = (value) => {
  const [inner] = Object.values(value);
  if (Array.isArray(inner)) return inner.map(({ text }) => text.content).join("");
  return inner?.start ?? inner;
};

const escaped = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
/** Times to the minute and the beginning of an id, or no column has room for a message. */
const shown = (text) =>
  String(text)
    .replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d):.*$/, "$1")
    .replace(/^([0-9a-f]{10})[0-9a-f]{14}$/, "$1…");
const cells = (row) => row.map((value) => `<td>${escaped(shown(value))}</td>`).join("");

/** A table as a page; with `lettered`, as a spreadsheet shows it. */
export function tablePage({ head, rows, lettered = false }) {
  const letters = lettered ? `<tr><th></th>${head.map((_, at) => `<th>${"ABCDEFGH"[at]}</th>`).join("")}</tr>` : "";
  const lines = [head, ...rows].map(
    (row, at) => `<tr class="row">${lettered ? `<th>${at + 1}</th>` : ""}${cells(row)}</tr>`,
  );
  return `<!doctype html><html lang="en"><meta name="color-scheme" content="light dark"><style>
    :root { color-scheme: light dark; } body { margin: 0; background: light-dark(#fff, #16181d); color: light-dark(#202124, #e8eaed); font: 13px/1.5 system-ui, sans-serif; }
    table { border-collapse: collapse; width: 100%; } td, th { border: 1px solid light-dark(#d0d4d9, #3c4043); padding: 4px 8px; text-align: start; white-space: nowrap; overflow: hidden; max-width: 22rem; text-overflow: ellipsis; }
    th { background: light-dark(#f1f3f4, #22252b); font-weight: 400; text-align: center; } .row:first-of-type td, tr:not(.row) + .row td { font-weight: 600; }
    </style><table>${letters}${lines.join("")}</table></html>`;
}
