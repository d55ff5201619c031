import { z } from "zod";
import { type ServiceAccount, serviceAccountOf } from "../../lib/service-account.ts";

/** An address of a service's API, for tests and proxies. */
export interface ServiceAddress {
  /** Default: the service's own. */
  apiUrl?: string;
}

/** The services that destinations write to. */
export interface IntegrationsOptions {
  /** Google Sheets. */
  google?: ServiceAddress & {
    /** The JSON key file of a service account, as an object or a string, for webhooks without one of their own. */
    credentials?: string | Readonly<Record<string, unknown>>;
    /** The address that gives tokens. Default: Google's. */
    tokenUrl?: string;
  };
  /** Airtable. */
  airtable?: ServiceAddress;
  /** Notion. */
  notion?: ServiceAddress;
  /** Mailchimp. Its own address follows from the data centre of a key. */
  mailchimp?: ServiceAddress;
  /** HubSpot. */
  hubspot?: ServiceAddress;
}

/** The same with defaults; addresses have no `/` at the end. */
export interface Integrations {
  readonly google: { readonly credentials: ServiceAccount | null; readonly apiUrl: string; readonly tokenUrl: string };
  readonly airtable: Required<ServiceAddress>;
  readonly notion: Required<ServiceAddress>;
  /** `""` for the address of each key's data centre. */
  readonly mailchimp: Required<ServiceAddress>;
  readonly hubspot: Required<ServiceAddress>;
}

const Address = z
  .url({ protocol: /^https?$/, error: "must be an http(s) URL" })
  .refine((url) => !/[?#]/.test(url), "must be a URL without query");

const KeyFile = z.custom<string | Readonly<Record<string, unknown>>>((value) => !("fault" in serviceAccountOf(value)), {
  error: ({ input }) => {
    const read = serviceAccountOf(input);
    if (!("fault" in read)) return undefined;
    return read.at === "" ? read.fault : `has a \`${read.at}\` that ${read.fault}`;
  },
});

const Service = z.strictObject({ apiUrl: Address }).partial();

export const IntegrationsSchema = z
  .strictObject({
    google: z.strictObject({ credentials: KeyFile, apiUrl: Address, tokenUrl: Address }).partial(),
    airtable: Service,
    notion: Service,
    mailchimp: Service,
    hubspot: Service,
  })
  .partial();

const trimmed = (url: string): string => url.replace(/\/+$/, "");

/** The addresses with their defaults. The key file has been checked. */
export function resolveIntegrations({
  google = {},
  airtable,
  notion,
  mailchimp,
  hubspot,
}: IntegrationsOptions = {}): Integrations {
  const account = google.credentials === undefined ? null : serviceAccountOf(google.credentials);
  return {
    google: {
      credentials: account && "fault" in account ? null : account,
      apiUrl: trimmed(google.apiUrl ?? "https://sheets.googleapis.com"),
      tokenUrl: google.tokenUrl ?? "https://oauth2.googleapis.com/token",
    },
    airtable: { apiUrl: trimmed(airtable?.apiUrl ?? "https://api.airtable.com") },
    notion: { apiUrl: trimmed(notion?.apiUrl ?? "https://api.notion.com") },
    mailchimp: { apiUrl: trimmed(mailchimp?.apiUrl ?? "") },
    hubspot: { apiUrl: trimmed(hubspot?.apiUrl ?? "https://api.hubapi.com") },
  };
}
