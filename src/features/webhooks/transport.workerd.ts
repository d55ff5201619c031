export { createFetchClient as createTransport } from "./fetch-request.ts";
