import { airtable, databaseUrl, hubspot, mailchimp, notion, tableUrl } from "../../_support/destinations/fakes.ts";
import { fileUrl, googleSheets, records, type Tab, unshared } from "../../_support/destinations/google.ts";
import type { Fate, Got } from "../../_support/destinations/server.ts";

/** A line of a service's table: the submission's number, and the rest of its values. */
export interface Line {
  readonly n: string;
  readonly [column: string]: unknown;
}

/** A service on a socket, with the rules that it refuses by. */
export interface Opened {
  readonly options: object;
  fate(fate: (got: Got) => Fate): unknown;
  close(): Promise<void>;
  /** True for a request that writes. */
  writes(got: Got): boolean;
  /** The numbers of the submissions that a request writes, in its order; null where the service keeps none. */
  ordered(got: Got): readonly string[] | null;
  lines(): Line[];
  /** A secret that it has taken back. */
  loseToken?(): void;
  /** The answer while nothing is shared with us. */
  readonly shut?: Fate;
}

interface Service {
  readonly name: string;
  readonly webhook: object;
  readonly secret: string;
  open(now: () => number): Promise<Opened>;
  /** The line of a submission as it must be there. */
  line(n: number, id: string): object;
}

const text = (pieces: { text: { content: string } }[] = []): string => pieces.map((one) => one.text.content).join("");
const email = (n: string): string => `a${n}@example.com`;

/** The fields of submission `n`. */
export const fieldsOf = (n: number): Record<string, string> => ({ n: `${n}`, name: `=Ada ${n}`, email: email(`${n}`) });

/** The services, each by its own rules of writing. */
export const services: readonly Service[] = [
  {
    name: "google_sheets",
    webhook: { url: fileUrl, format: "google_sheets", config: {} },
    secret: "BEGIN PRIVATE KEY",
    line: (n, submission_id) => ({ submission_id, ...fieldsOf(n) }),
    async open(now) {
      const google = await googleSheets(now);
      return {
        options: google.options,
        fate: google.fate,
        close: google.close,
        writes: ({ path }) => path.endsWith(":append"),
        ordered: ({ json }) => json.values.map(([id]: string[]) => id),
        lines: () => records(google.tabs[0] as Tab) as unknown as Line[],
        loseToken: google.loseTokens,
        shut: unshared,
      };
    },
  },
  {
    name: "airtable",
    webhook: { url: tableUrl, format: "airtable", config: { token: "pat.secret" } },
    secret: "pat.secret",
    line: (n, submission_id) => ({ submission_id, n: `${n}`, Name: `=Ada ${n}` }),
    async open(now) {
      const table = await airtable(now);
      return {
        options: table.options,
        fate: (fate) => Object.assign(table.fate, { fate }),
        close: table.close,
        writes: ({ method }) => method === "PATCH",
        ordered: ({ json }) => json.records.map((one: { fields: Line }) => one.fields["submission_id"]),
        lines: () => [...table.records.values()] as unknown as Line[],
      };
    },
  },
  {
    name: "notion",
    webhook: { url: databaseUrl, format: "notion", config: { token: "ntn_secret" } },
    secret: "ntn_secret",
    line: (n, submission_id) => ({ submission_id, n, Name: `=Ada ${n}` }),
    async open(now) {
      const base = await notion(now);
      return {
        options: base.options,
        fate: (fate) => Object.assign(base.fate, { fate }),
        close: base.close,
        writes: ({ path }) => path === "/v1/pages",
        ordered: () => null,
        lines: () =>
          base.pages.map(({ properties: { Name, submission_id, n } }) => ({
            n: n.number,
            Name: text(Name.title),
            submission_id: text(submission_id.rich_text),
          })),
      };
    },
  },
  {
    name: "mailchimp",
    webhook: {
      format: "mailchimp",
      config: { api_key: "0123456789abcdef-us21", list_id: "a1b2c3", merge_fields: { FNAME: "name", N: "n" } },
    },
    secret: "0123456789abcdef-us21",
    line: (n) => ({ n: `${n}`, FNAME: `=Ada ${n}`, email: email(`${n}`), status: "pending" }),
    async open(now) {
      const audience = await mailchimp(now);
      return {
        options: audience.options,
        fate: (fate) => Object.assign(audience.fate, { fate }),
        close: audience.close,
        writes: ({ method }) => method === "PUT",
        ordered: () => null,
        lines: () =>
          [...audience.members.values()].map(({ email_address, status, merge_fields }) => {
            const { N, FNAME } = merge_fields as Record<string, string>;
            return { n: N ?? "", FNAME, email: email_address, status };
          }),
      };
    },
  },
  {
    name: "hubspot",
    webhook: {
      format: "hubspot",
      config: { token: "pat-eu1-secret", properties: { firstname: "name", company: "n" } },
    },
    secret: "pat-eu1-secret",
    line: (n) => ({ n: `${n}`, firstname: `=Ada ${n}`, email: email(`${n}`) }),
    async open(now) {
      const crm = await hubspot(now);
      return {
        options: crm.options,
        fate: (fate) => Object.assign(crm.fate, { fate }),
        close: crm.close,
        writes: ({ path }) => path.endsWith("/batch/upsert"),
        ordered: ({ json }) =>
          json.inputs.map((one: { properties: Record<string, string> }) => one.properties["company"]),
        lines: () =>
          [...crm.contacts.values()].map((one) => ({
            n: one["company"] ?? "",
            firstname: one["firstname"],
            email: one["email"],
          })),
      };
    },
  },
];
