import { z } from "zod";
import { wrongParameter } from "../../../errors.ts";
import { isEmail } from "../../../lib/email.ts";
import { parseInput } from "../../../lib/input.ts";
import { DestinationConfigInput, SET } from "../../../model/destinations.ts";
import type { Config } from "../formats/types.ts";
import { listAt, type Reply, ServiceError, said, textAt } from "./call.ts";
import { fieldOf, mappedOf, withoutAddress } from "./contacts.ts";
import { limited, pausing, unexpected } from "./faults.ts";
import type { Entry, Result, Service } from "./types.ts";

const SERVICE = "HubSpot";
const input = DestinationConfigInput.shape;
const MAX_UNKNOWN = 50;

const Complete = z.strictObject({
  token: input.token.unwrap(),
  email_field: input.email_field.unwrap().default("email"),
  properties: z.record(z.string(), z.string()).default({}),
});
type HubSpotConfig = z.output<typeof Complete>;
const read = (config: Config): HubSpotConfig => config as unknown as HubSpotConfig;

const PATH = "/crm/v3/objects/contacts/batch/upsert";
/** The API keys that HubSpot took until 2022. */
const OLD_KEY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Contacts of HubSpot, by the token of a private app: each submission adds or updates the contact of its address. */
export const hubspot: Service = {
  complete(config) {
    const whole = parseInput(Complete, config, "config");
    if (OLD_KEY.test(whole.token))
      throw wrongParameter("config.token", "is an API key of the old kind; create a private app and send its token");
    return whole;
  },
  shown(config) {
    const { token: _, ...rest } = read(config);
    return { ...rest, token: SET };
  },
  address: (_, { hubspot: { apiUrl } }) => apiUrl + PATH,
  // 100 requests in 10 seconds.
  pace: { entries: 100, requests: 1, ms: 250 },
  rateOf: ({ config }) => `hubspot ${read(config).token}`,
  open:
    ({ hubspot: { apiUrl } }) =>
    async (entries, { config, call }) => {
      const settings = read(config);
      const headers = { authorization: `Bearer ${settings.token}` };
      const send = (json: unknown) => call(apiUrl + PATH, { headers, json });
      const contacts = entries.filter((entry) => isEmail(addressOf(entry, settings)));
      const results = new Map<Entry, Result>();
      for (const [entry, result] of await upsert(send, contacts, settings)) results.set(entry, result);
      return entries.map((entry) => results.get(entry) ?? withoutAddress(settings.email_field));
    },
  preview: (entry, config) => JSON.stringify({ inputs: inputsOf([entry], read(config), new Set()) }),
};

const addressOf = (entry: Entry, { email_field }: HubSpotConfig): string =>
  fieldOf(entry, email_field).trim().toLowerCase();

/** One input for each address: HubSpot refuses two. The values of the later submission win. */
function inputsOf(entries: readonly Entry[], settings: HubSpotConfig, unknown: ReadonlySet<string>) {
  const byAddress = new Map<string, Record<string, string>>();
  for (const entry of entries) {
    const id = addressOf(entry, settings);
    const known = Object.entries(mappedOf(entry, settings.properties)).filter(([name]) => !unknown.has(name));
    byAddress.set(id, { email: id, ...byAddress.get(id), ...Object.fromEntries(known) });
  }
  return [...byAddress].map(([id, properties]) => ({ id, idProperty: "email", properties }));
}

async function upsert(
  send: (json: unknown) => Promise<Reply>,
  entries: readonly Entry[],
  settings: HubSpotConfig,
): Promise<(readonly [Entry, Result])[]> {
  if (entries.length === 0) return [];
  const unknown = new Set<string>();
  for (let tries = 0; tries <= MAX_UNKNOWN; tries++) {
    const reply = await send({ inputs: inputsOf(entries, settings, unknown) });
    if (reply.ok && reply.status !== 207) {
      const message = `Left out, because HubSpot has no such property: ${[...unknown].join(", ")}`;
      return entries.map((entry) => [entry, { end: "delivered", ...(unknown.size > 0 && { message }) }]);
    }
    const words = JSON.stringify(reply.json);
    const missing = /PROPERTY_DOESNT_EXIST/.test(words)
      ? Object.keys(settings.properties).find(
          (name) => !unknown.has(name) && quoted(name).some((q) => words.includes(q)),
        )
      : undefined;
    if (missing !== undefined) unknown.add(missing);
    // Some were refused: each alone shows which.
    else if (entries.length > 1 && (reply.status === 400 || reply.status === 207)) {
      const all: (readonly [Entry, Result])[] = [];
      for (const entry of entries)
        all.push(...(await upsert(send, [entry], settings).catch((error) => faultOf(entry, error))));
      return all;
    } else throw hubspotFault(reply);
  }
  throw unexpected(SERVICE, { status: 400 }, "", "failed");
}

/** A name in a message of JSON in JSON, as HubSpot writes it. */
const quoted = (name: string): string[] => [`"${name}"`, `\\"${name}\\"`, `\\\\\\"${name}\\\\\\"`];

function faultOf(entry: Entry, error: unknown): (readonly [Entry, Result])[] {
  if (!(error instanceof ServiceError)) throw error;
  return [[entry, { end: error.end, fault: error.fault }]];
}

function hubspotFault(reply: Reply): ServiceError {
  const { status } = reply;
  const words = textAt(reply.json, "message") || textAt(listAt(reply.json, "errors")[0], "message");
  if (status === 401) return pausing(status, "hubspot_token_refused");
  if (status === 403) return pausing(status, "hubspot_no_scope");
  if (status === 429) return limited(SERVICE, reply, textAt(reply.json, "policyName") === "DAILY" ? 3_600 : 10);
  return unexpected(SERVICE, reply.status === 207 ? { status: 400 } : reply, said(words));
}
