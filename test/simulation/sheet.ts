import { generateKeyPairSync } from "node:crypto";
import type { Faults } from "./faults.ts";
import type { Process, World } from "./world.ts";

const ID = "1simulatedSheetOfTheWorld";
export const SHEET_URL = `https://docs.google.com/spreadsheets/d/${ID}/edit#gid=0`;

/** A spreadsheet of Google's: takes rows, sometimes refuses, and sometimes loses its answer after it took them. */
export interface Sheet {
  /** Its rows, without the headers. */
  rows(): string[][];
  /** When it took a row. */
  takenAt(row: readonly string[]): number;
  /** The column of a header. */
  column(header: string): number;
  /** Removes its rows, and keeps the headers. */
  empty(): void;
  /** Called when an answer sets out to a process, which may come to stand still before it arrives. */
  onAnswer: ((to: Process) => void) | undefined;
}

let account: Readonly<Record<string, unknown>> | undefined;
/** A service account; the tokens that it signs are not checked. */
export function serviceAccount(): Readonly<Record<string, unknown>> {
  account ??= {
    type: "service_account",
    client_email: "forms@example.iam.gserviceaccount.com",
    private_key: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({
      type: "pkcs8",
      format: "pem",
    }),
  };
  return account;
}

/** Puts the sheet in the place of the network for `fetch`. */
export function createSheet(world: World, faults: Faults): Sheet {
  const random = world.random.fork("sheet");
  const table: string[][] = [];
  const times = new WeakMap<readonly string[], number>();
  const trip = (): number => (random.chance(faults.slow) ? random.between(200, 5_000) : random.between(1, 80));

  world.fetch = (url, { method, body, signal }) => {
    const owner = world.current();
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(new DOMException("aborted", "AbortError"));
      if (signal?.aborted) return abort();
      signal?.addEventListener("abort", abort, { once: true });
      const isFailing = faults.on && random.chance(faults.failing);
      const isHeard = !(faults.on && random.chance(faults.unheard));
      world.after(trip(), null, () => {
        const answer = isFailing ? refusal() : answerTo(new URL(url), method ?? "GET", body);
        if (!isHeard) return;
        if (owner) sheet.onAnswer?.(owner);
        world.after(trip(), owner, () =>
          resolve(new Response(JSON.stringify(answer.json), { status: answer.status, headers: answer.headers ?? {} })),
        );
      });
    });
  };

  function refusal(): Said {
    const status = random.pick([429, 500, 503]);
    return { status, json: { error: { code: status, message: "Later." } }, headers: { "retry-after": "3" } };
  }

  function answerTo(url: URL, method: string, body: unknown): Said {
    if (url.pathname === "/token") return ok({ access_token: "token", expires_in: 3_600 });
    const path = decodeURIComponent(url.pathname);
    if (path === `/v4/spreadsheets/${ID}`) {
      const properties = { sheetId: 0, title: "Sheet1", sheetType: "GRID", gridProperties: { columnCount: 26 } };
      return ok({ sheets: [{ properties }] });
    }
    const cells = path.split("'!")[1] ?? "";
    if (cells === "1:1") return ok(table[0] ? { values: [table[0]] } : {});
    const values = body === undefined ? [] : (JSON.parse(String(body)) as { values: (string | null)[][] }).values;
    if (cells.endsWith(":append")) {
      table[0] ??= [];
      const line = table.length + 1;
      for (const row of values) {
        const own = row.map((cell) => cell ?? "");
        table.push(own);
        times.set(own, world.now());
        world.note(`the sheet took ${row.find((cell) => /^[0-9a-f]{24}$/.test(cell ?? ""))}`);
      }
      return ok({ updates: { updatedRange: `'Sheet1'!A${line}:Z${line + values.length - 1}` } });
    }
    if (method === "PUT") {
      const [, column = "A", line = "1"] = /^([A-Z]+)(\d+)/.exec(cells) ?? [];
      for (const [at, row] of values.entries()) {
        const place = Number(line) - 1 + at;
        const there = table[place] ?? [];
        table[place] = there;
        for (const [n, cell] of row.entries()) if (cell !== null) there[column.charCodeAt(0) - 65 + n] = cell;
      }
      return ok({});
    }
    const column = cells.charCodeAt(0) - 65;
    return ok({ values: [table.slice(1).map((row) => row[column] ?? "")] });
  }

  const sheet: Sheet = {
    rows: () => table.slice(1),
    takenAt: (row) => times.get(row) ?? 0,
    column: (header) => (table[0] ?? []).indexOf(header),
    empty: () => void table.splice(1),
    onAnswer: undefined,
  };
  return sheet;
}

interface Said {
  readonly status: number;
  readonly json: object;
  readonly headers?: Record<string, string>;
}

const ok = (json: object): Said => ({ status: 200, json });
