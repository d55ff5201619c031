import { z } from "zod";
import type { Integrations } from "../../../core/options/integrations.ts";
import { wrongParameter } from "../../../errors.ts";
import { parseInput } from "../../../lib/input.ts";
import { type ServiceAccount, serviceAccountOf } from "../../../lib/service-account.ts";
import { type DestinationConfig, DestinationConfigInput, SET } from "../../../model/destinations.ts";
import type { Config } from "../formats/types.ts";
import { pausing } from "./faults.ts";
import { googleFault } from "./google-faults.ts";
import { createGoogleTokens } from "./google-token.ts";
import { sheetAt } from "./places.ts";
import { type Api, type Tabs, writeRows } from "./sheet.ts";
import { cellsOf } from "./sheet-columns.ts";
import type { Service, Target } from "./types.ts";

const Complete = z.strictObject({
  sheet: DestinationConfigInput.shape.sheet.unwrap().unwrap().optional(),
  credentials: DestinationConfigInput.shape.credentials,
});

interface SheetsConfig {
  readonly sheet?: string;
  readonly credentials?: ServiceAccount;
}
const read = (config: Config): SheetsConfig => config as unknown as SheetsConfig;

/** Google Sheets by a service account: one row for each submission, under headers in the first row. */
export const googleSheets: Service = {
  complete(config, { integrations }) {
    const { sheet, credentials } = parseInput(Complete, config, "config");
    const account = credentials === undefined || credentials === null ? null : accountOf(credentials);
    if (account === null && integrations.google.credentials === null)
      throw wrongParameter(
        "config.credentials",
        "is required: the JSON key file of a service account. The host may set `integrations.google.credentials` instead",
      );
    return { ...(sheet !== undefined && { sheet }), ...(account && { credentials: account }) };
  },
  shown(config): DestinationConfig {
    const { sheet, credentials } = read(config);
    return {
      ...(sheet !== undefined && { sheet }),
      ...(credentials && { credentials: { client_email: credentials.client_email, private_key: SET } }),
    };
  },
  // Google allows 60 requests a minute; a call reads the headers and writes.
  pace: { entries: 100, requests: 2, ms: 1_100 },
  rateOf: ({ url }) => `google ${sheetAt(url).id}`,
  open(integrations, now) {
    const tokens = createGoogleTokens(integrations.google.tokenUrl, now);
    const tabs: Tabs = new Map();
    return async (entries, target) => {
      const account = read(target.config).credentials ?? integrations.google.credentials;
      if (!account) throw pausing(401, "google_no_key");
      const api = apiOf(integrations, target, account, tokens);
      const { sheet } = read(target.config);
      const { id, gid } = sheetAt(target.url);
      return writeRows(api, entries, { sheet, gid, key: `${id} ${sheet ?? gid}`, tabs, now });
    };
  },
  preview: (entry) => JSON.stringify(Object.fromEntries(cellsOf(entry))),
};

function accountOf(given: unknown): ServiceAccount {
  const account = serviceAccountOf(given);
  if (!("fault" in account)) return account;
  throw wrongParameter(["config.credentials", ...(account.at === "" ? [] : [account.at])].join("."), account.fault);
}

/** Requests about one spreadsheet. A token that was lost is replaced once for each request. */
function apiOf(
  { google }: Integrations,
  { url, call }: Target,
  account: ServiceAccount,
  tokens: ReturnType<typeof createGoogleTokens>,
): Api {
  const base = `${google.apiUrl}/v4/spreadsheets/${sheetAt(url).id}`;
  return async (path, request = {}) => {
    const send = async () => {
      const authorization = `Bearer ${await tokens.of(account, call)}`;
      return call(base + path, { ...request, headers: { authorization } });
    };
    let reply = await send();
    if (reply.status === 401) {
      tokens.drop(account);
      reply = await send();
    }
    if (!reply.ok) throw googleFault(reply, account);
    return reply.json;
  };
}
