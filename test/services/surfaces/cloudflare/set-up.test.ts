import { describe, expect, it } from "vitest";
import { atEndOfFile } from "../../../_support/cleanup.ts";
import { bundleWorker, startWorkerd } from "../../../_support/workerd.ts";

type Options = Parameters<typeof startWorkerd>[1];
const OBJECTS: Options = { durableObjects: { FORMS: { className: "Forms", useSQLite: true } } } as never;

const site = (options: string, worker = '{ binding: "FORMS" }'): string => `
  import { formBackendObject, formBackendWorker, cloudflareMailer, r2Blob } from "./src/surfaces/cloudflare/index.ts";
  import { smtpMailer } from "./src/drivers/mailer/smtp.ts";
  export class Forms extends formBackendObject((env) => (${options})) {}
  export class Other { fetch() { return new Response("other"); } }
  export default formBackendWorker(${worker});
`;
const RIGHT = '{ baseUrl: "http://site.test/forms", secret: "the secret of these tests, long enough" }';

/** The answer to the first request. */
async function first(code: string, options: Options): Promise<{ status: number; text: string }> {
  const workerd = startWorkerd(await bundleWorker({ code }), { ...options, handleRuntimeStdio: () => {} } as never);
  atEndOfFile(() => workerd.dispose().catch(() => {}));
  const response = await workerd.dispatchFetch("http://site.test/forms/v1/health");
  return { status: response.status, text: await response.text() };
}

describe("a Worker that is set up wrongly says which line to change, at the first request", () => {
  const cases: Record<string, { code: string; options: Options; says: RegExp }> = {
    "no binding": {
      code: site(RIGHT),
      options: {},
      says: /no binding "FORMS"; in wrangler\.jsonc, add it to "durable_objects"/,
    },
    "a binding that is none of an object": {
      code: site(RIGHT),
      options: { bindings: { FORMS: "text" } },
      says: /this is no Durable Object: "FORMS"/,
    },
    "a class without SQLite": {
      code: site(RIGHT),
      options: { durableObjects: { FORMS: { className: "Forms", useSQLite: false } } } as never,
      says: /`new_sqlite_classes`/,
    },
    "a class of another kind": {
      code: site(RIGHT),
      options: { durableObjects: { FORMS: { className: "Other", useSQLite: true } } } as never,
      says: /the class behind the binding "FORMS" is none of formBackendObject/,
    },
    "options without baseUrl": { code: site("{}"), options: OBJECTS, says: /option `baseUrl`/ },
    SMTP: {
      code: site(RIGHT.replace("}", ', mailer: smtpMailer("smtps://u:p@mail.example.com") }')),
      options: OBJECTS,
      says: /option `mailer`: smtpMailer .* replace it with cloudflareMailer\(env\.EMAIL\)/,
    },
    "no binding for R2": {
      code: site(RIGHT.replace("}", ", blob: r2Blob(env.FILES) }")),
      options: OBJECTS,
      says: /r2Blob: pass the binding of a bucket.*"r2_buckets"/,
    },
    "no binding for mail": {
      code: site(RIGHT.replace("}", ", mailer: cloudflareMailer(env.EMAIL) }")),
      options: OBJECTS,
      says: /cloudflareMailer: pass the binding.*"send_email"/,
    },
    "a name of an object that is none": {
      code: site(RIGHT, '{ binding: "FORMS", object: () => "" }'),
      options: OBJECTS,
      says: /`object` must return the name of an object/,
    },
    "a plain Worker": {
      code: `
        import { createFormBackend } from "./src/index.ts";
        const backend = createFormBackend(${RIGHT});
        export default { fetch: (request) => backend.fetch(request) };
      `,
      options: {},
      says: /runs in a Durable Object, and this one runs in a plain Worker/,
    },
  };
  for (const [name, { code, options, says }] of Object.entries(cases)) {
    it(name, async () => {
      const { status, text } = await first(code, options);
      expect(text).toMatch(says);
      expect(status).toBe(503);
    }, 300_000);
  }
});
