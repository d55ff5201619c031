import type { ErrorRenderer, Exchange, RawRoute } from "../../core/http/route.ts";

/** Addresses with the same kind of responses and errors. */
export interface Zone {
  readonly basePath: string;
  /** Unknown addresses below these belong to this zone; all others belong to the first zone. */
  readonly prefixes?: readonly string[];
  readonly routes: readonly RawRoute[];
  readonly onError: ErrorRenderer;
  /** Called with every response of the zone before it is sent. */
  readonly finish?: (response: Response, exchange: Exchange) => void;
  /** Responds to `OPTIONS` if the zone serves browsers of other origins; `allow` lists the methods of the address. */
  readonly preflight?: (
    exchange: Exchange,
    params: Readonly<Record<string, string>>,
    allow: string,
  ) => Promise<Response> | Response;
}
