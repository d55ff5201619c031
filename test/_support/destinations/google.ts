import { generateKeyPairSync } from "node:crypto";
import { jwtVerify } from "jose";
import { type Got, type Said, serviceOn } from "./server.ts";

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** The key file of a service account, as Google gives it out. */
export const keyFile = {
  type: "service_account",
  project_id: "forms",
  private_key_id: "0123456789abcdef",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  client_email: "forms@forms.iam.gserviceaccount.com",
  client_id: "1",
  token_uri: "https://oauth2.googleapis.com/token",
};

export const FILE = "1AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";
export const fileUrl = `https://docs.google.com/spreadsheets/d/${FILE}/edit`;

type Cell = string | number | boolean;
export interface Tab {
  id: number;
  title: string;
  columns: number;
  rows: Cell[][];
}

const refusal = (code: number, status: string, message: string, details?: unknown[]): Said => ({
  status: code,
  json: { error: { code, message, status, ...(details && { details }) } },
});
export const unshared = refusal(403, "PERMISSION_DENIED", "The caller does not have permission");
export const overQuota = refusal(
  429,
  "RESOURCE_EXHAUSTED",
  "Quota exceeded for quota metric 'Write requests' and limit 'Write requests per minute per user' of service 'sheets.googleapis.com'.",
  [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "RATE_LIMIT_EXCEEDED" }],
);
export const unavailable = refusal(503, "UNAVAILABLE", "The service is currently unavailable.");

const numberOf = (letters: string): number =>
  [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
const lettersOf = (place: number): string =>
  (place >= 26 ? lettersOf(Math.floor(place / 26) - 1) : "") + String.fromCharCode(65 + (place % 26));
const cellsOf = (range: string): string => range.slice(range.lastIndexOf("!") + 1);
const trimmed = (row: readonly Cell[]): Cell[] => row.slice(0, row.findLastIndex((cell) => cell !== "") + 1);

/** Google's token address and a spreadsheet, by the documented protocol, with its quotas of 60 reads and writes a minute. */
export async function googleSheets(now: () => number, tabs: Tab[] = [tab("Sheet1")]) {
  let tokens = new Set<string>();
  const times: Record<"read" | "write", number[]> = { read: [], write: [] };

  const server = await serviceOn({
    now,
    answer: async (got) => (got.path === "/token" ? tokenFor(got) : (mayGo(got) ?? answer(got))),
  });

  async function tokenFor({ text }: Got): Promise<Said> {
    const form = new URLSearchParams(text);
    if (form.get("grant_type") !== "urn:ietf:params:oauth:grant-type:jwt-bearer")
      return { status: 400, json: { error: "unsupported_grant_type" } };
    const { payload, protectedHeader } = await jwtVerify(form.get("assertion") ?? "", publicKey, {
      issuer: keyFile.client_email,
      audience: "https://oauth2.googleapis.com/token",
      currentDate: new Date(now()),
    });
    const lifetime = (payload.exp ?? 0) - (payload.iat ?? 0);
    if (protectedHeader.alg !== "RS256" || lifetime > 3_600 || !String(payload["scope"]).includes("spreadsheets"))
      return { status: 400, json: { error: "invalid_scope" } };
    const token = `token-${tokens.size}-${Math.random()}`;
    tokens.add(token);
    return { status: 200, json: { access_token: token, expires_in: 3_599, token_type: "Bearer" } };
  }

  function mayGo({ headers, method }: Got): Said | undefined {
    if (!tokens.has((headers.authorization ?? "").replace("Bearer ", "")))
      return refusal(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
    const kind = method === "GET" ? "read" : "write";
    times[kind] = times[kind].filter((at) => at > now() - 60_000);
    if (times[kind].length >= 60) return overQuota;
    times[kind].push(now());
    return undefined;
  }

  function answer(got: Got): Said {
    const [, id, rest = ""] = /^\/v4\/spreadsheets\/([^/:]+)(.*)$/.exec(got.path) ?? [];
    if (id !== FILE) return refusal(404, "NOT_FOUND", "Requested entity was not found.");
    if (rest === "")
      return {
        status: 200,
        json: {
          sheets: tabs.map(({ id: sheetId, title, columns }, index) => ({
            properties: {
              sheetId,
              title,
              index,
              sheetType: "GRID",
              gridProperties: { rowCount: 1000, columnCount: columns },
            },
          })),
        },
      };
    if (rest === ":batchUpdate") {
      for (const { appendDimension } of got.json.requests) {
        const found = tabs.find((one) => one.id === appendDimension.sheetId) as Tab;
        found.columns += appendDimension.length;
      }
      return { status: 200, json: { replies: [{}] } };
    }
    if (rest === "/values:batchUpdate") {
      if (got.json.valueInputOption !== "RAW")
        return refusal(400, "INVALID_ARGUMENT", "'valueInputOption' is required");
      const data = got.json.data as { range: string; values: (Cell | null)[][] }[];
      // All of it or nothing.
      const wrong = data
        .map(({ range, values }) => refused(values) ?? unplaced(range))
        .find((one) => one !== undefined);
      if (wrong) return wrong;
      for (const { range, values } of data) update(range, values);
      return { status: 200, json: { spreadsheetId: FILE, totalUpdatedRows: data.length } };
    }
    const asked = decodeURIComponent(rest.slice("/values/".length));
    const isAppend = asked.endsWith(":append");
    const range = isAppend ? asked.slice(0, -":append".length) : asked;
    const found = tabOf(range);
    if (!found) return unplaced(range) as Said;
    if (got.method === "GET") return read(found, range, cellsOf(range), got.query.get("majorDimension") ?? "ROWS");
    if (got.query.get("valueInputOption") !== "RAW")
      return refusal(400, "INVALID_ARGUMENT", "'valueInputOption' is required");
    const values = got.json.values as (Cell | null)[][];
    const wrong = refused(values);
    if (wrong) return wrong;
    return isAppend ? append(found, got, values) : (unplaced(range) ?? update(range, values));
  }

  function tabOf(range: string): Tab | undefined {
    const [, title = ""] = /^'((?:[^']|'')+)'!/.exec(range) ?? [];
    return tabs.find((one) => one.title === title.replaceAll("''", "'"));
  }

  /** The refusal of values that no cell takes. */
  function refused(values: (Cell | null)[][]): Said | undefined {
    if (values.flat().every((cell) => typeof cell !== "string" || cell.length <= 50_000)) return undefined;
    const words = "Your input contains more than the maximum of 50000 characters in a single cell.";
    return refusal(400, "INVALID_ARGUMENT", words);
  }

  /** The refusal of a range that is nowhere. */
  function unplaced(range: string): Said | undefined {
    const found = tabOf(range);
    if (!found) return refusal(400, "INVALID_ARGUMENT", `Unable to parse range: ${range}`);
    const last = /:([A-Z]+)\d+$/.exec(cellsOf(range))?.[1];
    if (last === undefined || numberOf(last) < found.columns) return undefined;
    const most = `Max rows: 1000, max columns: ${found.columns}`;
    return refusal(400, "INVALID_ARGUMENT", `Range (${range}) exceeds grid limits. ${most}`);
  }

  function read(found: Tab, range: string, cells: string, dimension: string): Said {
    const row = /^(\d+):\1$/.exec(cells)?.[1];
    if (row)
      return {
        status: 200,
        json: { range, majorDimension: dimension, ...valuesOf([trimmed(found.rows[Number(row) - 1] ?? [])]) },
      };
    const [, column = "", from = ""] = /^([A-Z]+)(\d+):\1$/.exec(cells) ?? [];
    const list = trimmed(found.rows.slice(Number(from) - 1).map((one) => one[numberOf(column)] ?? ""));
    return { status: 200, json: { range, majorDimension: dimension, ...valuesOf([list]) } };
  }

  function update(range: string, values: (Cell | null)[][]): Said {
    const [, column = "", from = ""] = /^([A-Z]+)(\d+):/.exec(cellsOf(range)) ?? [];
    for (const [index, row] of values.entries())
      write(tabOf(range) as Tab, Number(from) - 1 + index, numberOf(column), row);
    return { status: 200, json: { updatedRange: range, updatedRows: values.length } };
  }

  function append(found: Tab, got: Got, values: (Cell | null)[][]): Said {
    if (got.query.get("insertDataOption") !== "INSERT_ROWS")
      return refusal(400, "INVALID_ARGUMENT", "rows would be overwritten");
    const first = Math.max(
      0,
      (found.rows[0] ?? []).findIndex((cell) => cell !== ""),
    );
    const line = found.rows.findLastIndex((row) => row.some((cell) => cell !== "")) + 1;
    found.rows.splice(line, 0, ...values.map(() => []));
    for (const [index, row] of values.entries()) write(found, line + index, first, row);
    const end = lettersOf(first + (values[0]?.length ?? 1) - 1);
    const updatedRange = `'${found.title}'!${lettersOf(first)}${line + 1}:${end}${line + values.length}`;
    return { status: 200, json: { spreadsheetId: FILE, updates: { updatedRange, updatedRows: values.length } } };
  }

  return {
    tabs,
    got: server.got,
    /** The fate of a request before it is answered. */
    fate: (fate: typeof server.state.fate) => (server.state.fate = fate),
    /** Does what a request asks, as when it arrives after its caller has hung up. */
    arrives: (got: Got) => answer(got),
    loseTokens: () => (tokens = new Set()),
    options: { google: { credentials: keyFile, apiUrl: server.url, tokenUrl: `${server.url}/token` } },
    close: server.close,
  };
}

export function tab(title: string, rows: Cell[][] = [], id = 0): Tab {
  return { id, title, columns: 26, rows };
}

/** Deletes a column as a person does: the grid gets narrower too. */
export function deleteColumn(from: Tab, place: number): void {
  for (const row of from.rows) row.splice(place, 1);
  from.columns--;
}

const valuesOf = (values: Cell[][]) => (values.flat().length > 0 ? { values } : {});

function write({ rows }: Tab, line: number, column: number, cells: (Cell | null)[]): void {
  rows[line] ??= [];
  const row = rows[line] as Cell[];
  for (const [index, cell] of cells.entries()) {
    while (row.length < column + index) row.push("");
    // Null leaves a cell alone.
    if (cell !== null) row[column + index] = cell;
    else row[column + index] ??= "";
  }
}

/** The rows of a tab below its headers, as objects. */
export function records({ rows: [headers = [], ...rows] }: Tab): Record<string, Cell>[] {
  return rows.map((row) => Object.fromEntries(headers.map((header, at) => [String(header), row[at] ?? ""])));
}
