import { type Late, late } from "../../../lib/late.ts";
import type { DestinationConfig, DestinationFormat } from "../../../model/destinations.ts";
import type { RequestFormat } from "./types.ts";

/** A destination's settings as stored, sealed: its format alone knows their shape. */
export type Config = Readonly<Record<string, unknown>>;

/** A format with settings of each webhook. */
export interface Destination {
  /** The settings with their defaults. Throws `invalid_parameter` with the path of the fault. */
  readonly complete: (config: Config, brand: { readonly signatureHeader: string }) => Config;
  /** The settings for answers, without secrets. */
  readonly shown: (config: Config) => DestinationConfig;
  /** The format of a webhook's requests, of complete settings. */
  readonly format: (config: Config) => RequestFormat;
}

/** Loaded when a webhook needs it, so that a host without destinations loads none. */
const destinations: Readonly<Record<DestinationFormat, Late<Destination>>> = {
  http: late(async () => (await import("./http.ts")).http),
};

export const loadDestination = (format: DestinationFormat): Promise<Destination> => destinations[format].load();
