import { canParseUrl } from "../lib/can-parse-url.ts";
import { isLoopbackName } from "../lib/loopback.ts";
import { safeMessage } from "../lib/message.ts";
import type { Core } from "./core.ts";
import { levelOfPosts } from "./options/under-test.ts";
import { perBackend } from "./per-backend.ts";

const said = perBackend(() => new Set<string>());

/** Warns once per backend about a set-up that loses or hides something. `what` names the warning. */
export function warnOnce(core: Core, what: string, message: () => string): void {
  if (said(core).has(what)) return;
  said(core).add(what);
  core.options.logger.warn(message());
}

/**
 * Warns about data that this set-up does not keep or send. Call it when the drivers are open, because a build only evaluates
 * the module.
 */
export function warnOfLosses(core: Core, given: { readonly storage: boolean }): void {
  const { storage, mailer, blob, options } = core;
  const production = process.env["NODE_ENV"] === "production";
  const inMemory = storage.name === "memory";
  if (inMemory && !given.storage) {
    warnOnce(
      core,
      "storage",
      () => "no `storage` is set: submissions are kept in memory and lost when this process exits",
    );
  } else if (inMemory && production) {
    warnOnce(
      core,
      "storage",
      () => "`storage` is memoryStorage() in production: submissions are lost when this process exits",
    );
  }
  if (!production) return;
  if (mailer.name === "log") {
    const what = "`mailer` is not set, or logMailer(), in production";
    warnOnce(
      core,
      "mailer",
      () => `${what}: emails are printed and reach nobody; set it, for example to smtpMailer(…)`,
    );
  }
  if (blob.name === "memory") {
    said(core).add("blob");
    const what = "`blob` is not set, or memoryBlob(), in production";
    options.logger.error(
      `${what}: files are lost when this process exits; set it, for example to fsBlob({ dir }) or s3Blob(…)`,
    );
  }
}

/** Call it with each upload: files or the submissions that link to them may not outlive this process. */
export function warnOfFiles(core: Core): void {
  if (core.blob.name === "memory") {
    warnOnce(
      core,
      "blob",
      () =>
        "files are kept in memory, so they are lost when this process exits; set `blob`, for example to fsBlob({ dir })",
    );
  } else if (core.storage.name === "memory") {
    warnOnce(
      core,
      "storage",
      () =>
        "`storage` is memoryStorage(), so submissions are lost when this process exits, and their files stay behind; set " +
        "`storage`, for example to sqliteStorage({ path })",
    );
  }
}

/** Call it with each stored post of a form that tells its owner by mail. */
export function warnOfNoRecipients(core: Core, form: { readonly id: string; readonly value: Notified }): void {
  const { enabled, recipients } = form.value.self_email_notification;
  if (!enabled || recipients.length > 0) return;
  warnOnce(
    core,
    "recipients",
    () =>
      `the notification of form ${form.id} is on and has no recipients, so nobody gets an email: add some to ` +
      "`self_email_notification.recipients`, or set `self_email_notification.enabled` to false",
  );
}

interface Notified {
  readonly self_email_notification: { readonly enabled: boolean; readonly recipients: readonly string[] };
}

/** True on a developer's machine for a request without TLS to a backend that says https. A proxy in front says what it took. */
const isPlain = (request: Request, base: URL): boolean =>
  base.protocol === "https:" &&
  request.url.startsWith("http:") &&
  !request.headers.has("x-forwarded-proto") &&
  isLoopbackName(base.hostname) &&
  process.env["NODE_ENV"] !== "production";

/** Checks each request for signs that `trustProxy` or `baseUrl` is wrong. */
export function watchRequests(
  core: Core,
  {
    trustProxy,
    isTeams,
  }: {
    readonly trustProxy: boolean;
    /** True for a host at which a team's forms are served. */
    readonly isTeams: (host: string) => Promise<boolean>;
  },
): (request: Request, ip: string | null | undefined) => void {
  const { options } = core;
  const [base, legacy] = [new URL(options.baseUrl), new URL(options.legacyBaseUrl)];
  return (request, ip) => {
    // Without the connection's address there is no limit by address, and Next.js writes the header itself.
    if (ip && !trustProxy && request.headers.has("x-forwarded-for")) {
      warnOnce(
        core,
        "trustProxy",
        () =>
          "a request has the header X-Forwarded-For, which is ignored while `trustProxy` is not set: behind a proxy, all visitors " +
          "count as one IP address; set `trustProxy` to the number of proxies in front, or to false if there is none",
      );
    }
    // Text first: the address is parsed only where something differs.
    if (request.url.startsWith(`${base.origin}/`) || said(core).has("baseUrl") || !canParseUrl(request.url)) return;
    const { host, pathname } = new URL(request.url);
    const asked = request.headers.get("x-forwarded-host")?.split(",", 1)[0]?.trim() || host;
    // Probes use any address of the machine.
    if (asked === base.host && isPlain(request, base)) {
      warnOnce(
        core,
        "scheme",
        () =>
          `a request came by plain http, and \`baseUrl\` is "${options.baseUrl}": forms and links lead to https, where nothing listens; ` +
          "set `baseUrl` to http: on your own machine",
      );
    }
    if (asked === base.host || asked === legacy.host || pathname.endsWith("/v1/health")) return;
    const warn = (): void =>
      warnOnce(
        core,
        "baseUrl",
        () =>
          `a request came to "${safeMessage(asked).slice(0, 260)}", and \`baseUrl\` is "${options.baseUrl}": forms and links use the ` +
          "latter; set `baseUrl` to the address that browsers use, with its port",
      );
    void isTeams(asked).then((known) => known || warn(), warn);
  };
}

/** Milliseconds in which a developer who has started an app opens a page of it, and sends a form. */
const UNREACHED_MS = 60_000;

/** Tells a developer whose mount no request reaches: the host answers 404 then, and nothing here would ever know. */
export function watchMount(core: Core): {
  /** Call it when the drivers are open. */
  begin(): void;
  /** Call it with each request, and at the end. */
  reached(): void;
} {
  let isReached = false;
  let cancel = (): void => {};
  return {
    begin() {
      const { options, clock } = core;
      if (isReached || options.work !== true || levelOfPosts() !== "info") return;
      const { pathname } = new URL(options.baseUrl);
      cancel = clock.setTimer(
        () =>
          options.logger.info(
            "no request has reached the form backend in its first minute. If you have sent a form, mount the backend with app.use() " +
              `and not with app.post(), at "${pathname}", and before catch-all routes; ${options.baseUrl}/v1/health then responds`,
          ),
        UNREACHED_MS,
      );
    },
    reached() {
      if (isReached) return;
      isReached = true;
      cancel();
    },
  };
}
