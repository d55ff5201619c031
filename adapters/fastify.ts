import type { IncomingMessage, ServerResponse } from "node:http";
import type { FormBackend } from "../src/index.ts";
import { checked, connection, streamOf, webRequest } from "../src/surfaces/node/bridge.ts";

/** The part of a Fastify instance that is used. */
export interface FastifyApp {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(type: "*", options: object, parser: Parser): unknown;
  all(path: string, handler: (request: Request, reply: Reply) => Promise<unknown>): unknown;
}
type Parser = (request: never, body: never, done: (error: null) => void) => void;
type Request = { readonly raw: IncomingMessage; readonly originalUrl?: string };
type Reply = { readonly raw: ServerResponse; code(status: number): unknown } & {
  header(name: string, value: string): unknown;
  send(body: unknown): unknown;
};

/**
 * A Fastify plugin. Register it without `fastify-plugin`, so that the body parsers it removes are missing in its scope only.
 *
 * @example
 * app.register(formBackend(backend), { prefix: "/forms" }); // with `baseUrl: "https://app.example.com/forms"`
 */
export function formBackend(backend: FormBackend): (app: FastifyApp) => Promise<void> {
  checked(backend);
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", {}, (_request, _payload, done) => done(null));
    const handle = async (request: Request, reply: Reply): Promise<unknown> => {
      const { raw, originalUrl } = request;
      const response = await backend.handle(webRequest(raw, reply.raw, { originalUrl }), connection(raw));
      // Fastify sends it, so the host's hooks can still see, compress and extend the response.
      reply.code(response.status);
      for (const [name, value] of response.headers) reply.header(name, value);
      return reply.send(streamOf(response));
    };
    for (const path of ["/", "/*"]) app.all(path, handle);
  };
}
