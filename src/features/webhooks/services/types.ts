import type { Integrations } from "../../../core/options/integrations.ts";
import type { Values } from "../../../model/values.ts";
import type { Config, Settings } from "../formats/types.ts";
import type { Call } from "./call.ts";
import type { Fault } from "./fault.ts";

/** A submission as a destination writes it: one row, page or contact. */
export interface Entry {
  /** The submission's id. */
  readonly id: string;
  readonly created_at: string;
  /** The fields by name, files by their links. */
  readonly values: Values;
  /** True if an attempt before may have written it: it is looked for first. */
  readonly again: boolean;
  /** True if what is there is brought up to date. */
  readonly update: boolean;
}

/** The result of one entry. */
export type Result =
  | {
      readonly end: "delivered";
      /** The parts that were left out, in our words. */
      readonly message?: string;
    }
  | { readonly end: "retry" | "failed"; readonly fault: Fault }
  /** It had no room in this call, and no attempt was made. */
  | { readonly end: "later" };

/** The target of a call, and what the call may use. */
export interface Target {
  /** The webhook's URL. */
  readonly url: string;
  readonly config: Config;
  readonly call: Call;
}

/** Writes entries, given in the order of their creation, and returns the result of each, in the same order. May throw `ServiceError`. */
export type Write = (entries: readonly Entry[], target: Target) => Promise<readonly Result[]>;

/** A service with calls of its own. */
export interface Service extends Settings {
  /** The entries of a call at most, its usual requests, and the time in ms that each takes of the service's rate. */
  readonly pace: { readonly entries: number; readonly requests: number; readonly ms: number };
  /** The thing that has one rate, such as a spreadsheet. */
  readonly rateOf: (target: Pick<Target, "url" | "config">) => string;
  /** A writer with the memory of one backend: tokens and what it knows of tables. */
  readonly open: (integrations: Integrations, now: () => number) => Write;
  /** The request that a call would send of an entry, for dry runs. */
  readonly preview: (entry: Entry, config: Config) => string;
}
