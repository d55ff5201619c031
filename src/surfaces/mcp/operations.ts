import type { Caller, Scope } from "../../model/keys.ts";
import type { Operation } from "../api/kernel.ts";
import { routes } from "../api/table.ts";

/** Rows of the management API. */
export type OperationName = keyof typeof routes;
export const rows = routes as unknown as Readonly<Record<OperationName, Operation>>;

/** The way of the tools to the management API: in process below `/mcp`, over HTTP from the command line. */
export interface Operations {
  /** The credential. */
  readonly caller: Pick<Caller, "auth" | "id" | "scopes">;
  /**
   * Calls a row; path parameters, query and body in one object. Returns `TOO_LONG` for a page that is not worth to be held in
   * memory. Throws `ApiError`.
   */
  call(name: OperationName, input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>;
  /** The name of a form, to compare a `confirm` with. Throws `ApiError`. */
  formName(formId: string, signal: AbortSignal): Promise<string>;
  /** Signs what a client has to bring back, and verifies it. */
  readonly signer: { sign(text: string): string; verify(text: string, signature: string): boolean };
  /** The time, in epoch ms. */
  now(): number;
}

/** In place of a page: ask for fewer entries. */
export const TOO_LONG: object = {};

/** The scopes that a credential lacks for an operation. */
export function lacking({ scopes }: Operations["caller"], needed: readonly Scope[]): Scope[] {
  return scopes === "all" ? [] : needed.filter((scope) => !scopes.includes(scope));
}

const members = (schema: Operation["query"]): string[] =>
  Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});

/** The input of a row, taken apart as HTTP does it. */
export function partsOf(row: Operation, input: Readonly<Record<string, unknown>>) {
  const path = [...row.path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
  const query = members(row.query);
  const pick = (keep: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(input).filter(([name, value]) => value !== undefined && keep(name)));
  return {
    params: pick((name) => path.includes(name)),
    query: pick((name) => query.includes(name)),
    body: pick((name) => !path.includes(name) && !query.includes(name)),
  };
}
