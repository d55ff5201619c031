import { readFileSync } from "node:fs";
import { type BareBackend, prepareBackend, type Seams as SeamsOf } from "../backend.ts";
import type { Engine } from "../engine.ts";
import { assertStandardSchema } from "../lib/standard-schema.ts";
import type { OpenApiDocument } from "./api/document.ts";
import { documentOf } from "./api/document-of.ts";
import { lateApi } from "./api/in-process/late.ts";
import type { InProcessApi } from "./api/in-process.ts";
import { type InboxApi, noInbox } from "./api/inbox.ts";
import type { FormBackendOptions, Options } from "./api/kernel.ts";
import { MOUNTED } from "./api/mcp.ts";
import type { createMounted, MountedSurfaces } from "./mount.ts";

/** The form backend: a web-standard handler, its workers, and the same services in process. */
export interface FormBackend extends BareBackend, InProcessApi {
  /** The OpenAPI 3.1 document of the management API, as in `GET /v1/openapi.json`. */
  openapi(): object;
  /** Makes single-use links to the inbox, and ends its sessions. */
  readonly inbox: InboxApi;
}

/** Replacements for tests. */
export interface Seams extends SeamsOf<MountedSurfaces> {
  /** Loads the engine. */
  readonly load?: () => Promise<{ readonly createMounted: typeof createMounted }>;
}

/**
 * Creates a form backend. It is synchronous: drivers open on the first request, or with `await backend.ready()`.
 * Throws a TypeError that names the option when one is unknown or wrong.
 *
 * @example
 * const backend = createFormBackend({
 *   baseUrl: "https://app.example.com/forms",
 *   secret: process.env.FORM_BACKEND_SECRET,
 *   storage: sqliteStorage({ path: "forms.db" }),
 *   mailer: smtpMailer("smtps://user:pass@smtp.example.com"),
 * });
 * app.use("/forms", formBackend(backend));
 */
export function createFormBackend(options: FormBackendOptions): FormBackend {
  return createBackend(options);
}

/** `createFormBackend` with seams for tests. Checks the options at once; everything else is loaded behind it. */
export function createBackend(
  input: FormBackendOptions,
  { load = () => import("./mount.ts"), ...seams }: Seams = {},
): FormBackend {
  const loading = async () => (await load()).createMounted;
  const { backend, options, engine, after } = prepareBackend(input, loading, seams);
  const { inbox, mcp } = input;
  const apiOf = ({ mounted }: Engine<MountedSurfaces>): InProcessApi => mounted.api;
  const loadedApi = () => {
    const loaded = engine.now();
    return loaded && apiOf(loaded);
  };
  const api = lateApi({ now: loadedApi, load: () => engine.load().then(apiOf) });

  return {
    ...backend,
    openapi: () => engine.now()?.mounted.openapi() ?? documentOf(builtDocument(), options),
    inbox: inbox
      ? {
          link: (link) => after(({ mounted }) => mounted.inbox.link(link)),
          endSessions: (of) => after(({ mounted }) => mounted.inbox.endSessions(of)),
        }
      : noInbox,
    ...api,
    forms: {
      ...api.forms,
      useSchema(id, schema) {
        assertStandardSchema(schema);
        const loaded = loadedApi();
        if (loaded) loaded.forms.useSchema(id, schema);
        // Later calls wait for the same promise, so that they come after it.
        else
          void engine.load().then(
            ({ mounted }) => mounted.api.forms.useSchema(id, schema),
            () => {},
          );
      },
    },
    ...(mcp && { [MOUNTED]: { metadata: () => (mcp.metadata as (of: Options) => Response)(options) } }),
  };
}

/** The document that the build has written beside this file, for a call that can't wait until the table of routes is loaded. */
function builtDocument(): OpenApiDocument {
  try {
    return JSON.parse(readFileSync(new URL("./openapi.json", import.meta.url), "utf8")) as OpenApiDocument;
  } catch (error) {
    throw new TypeError(
      "[form-backend] openapi() can't find openapi.json beside a bundled form-backend; call it after `await backend.ready()`",
      { cause: error },
    );
  }
}
