/**
 * All that other surfaces take of the core: the kernel of a request, and the types that they share. The guard of imports keeps
 * them from any other way to it, so what is not listed here they reach by a call. Calls alone read and change what teams store.
 */

export type { Core } from "../../core/core.ts";
export { mediaType, readBody } from "../../core/http/body.ts";
export { toApiError } from "../../core/http/envelope.ts";
export { clientGone } from "../../core/http/gone.ts";
export { limitCaller } from "../../core/http/limits.ts";
export { resourceMetadataPath } from "../../core/http/protected-resource.ts";
export type { ErrorRenderer, Exchange, HostInfo, Method, Operation, RawRoute } from "../../core/http/route.ts";
export type { Inbound, InboundProvider } from "../../core/options/inbound.ts";
export type { Inbox } from "../../core/options/inbox.ts";
export type { Mcp } from "../../core/options/mcp.ts";
export type { Plan } from "../../core/options/plans.ts";
export type { FormBackendOptions, Logger, Options } from "../../core/options/types.ts";
export { perBackend } from "../../core/per-backend.ts";
/** For the sessions of the inbox, which are its own records. */
export { put, retrying } from "../../core/rows.ts";
export { warnOnce } from "../../core/set-up.ts";
export { signerFor } from "../../core/signer-for.ts";
