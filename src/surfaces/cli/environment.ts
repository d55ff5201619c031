import { canParseUrl } from "../../lib/can-parse-url.ts";
import type { FormBackendOptions } from "../api/kernel.ts";
import { misuse } from "./failure.ts";
import type { Io } from "./io.ts";

type Env = Io["env"];

/** A variable without spaces around it; undefined if it is not set or empty. */
export const variable = (env: Env, name: string): string | undefined => env[name]?.trim() || undefined;

/** Options that the variables of the environment set, without drivers. Throws a misuse that names the variable. */
export function settingsOf(env: Env): Partial<FormBackendOptions> {
  const from = variable(env, "FORM_BACKEND_FROM");
  const trustProxy = proxiesOf(env);
  const networks = listOf(env, "FORM_BACKEND_WEBHOOK_CIDRS");
  return {
    ...(from !== undefined && { from }),
    ...(trustProxy !== undefined && { trustProxy }),
    ...(networks && { webhooks: { allowCidrs: networks, allowHttp: true } }),
    // Several webhooks of one form are common, since each chat is one.
    plans: { unlimited: { webhooks_per_form: 10 } },
  };
}

const MIN_SECRET = 32;

/**
 * `FORM_BACKEND_SECRET`: one, or several separated by commas, the current one first. Undefined if a file next to the database may
 * keep one. A comma in a single secret is no separator: the parts would be too short.
 */
export function secretOf(env: Env): string[] | undefined {
  const whole = variable(env, "FORM_BACKEND_SECRET");
  if (whole !== undefined) {
    if (whole.length < MIN_SECRET) throw misuse(`FORM_BACKEND_SECRET must have at least ${MIN_SECRET} characters.`);
    const parts = listOf(env, "FORM_BACKEND_SECRET") ?? [];
    return parts.every((part) => part.length >= MIN_SECRET) ? parts : [whole];
  }
  if (env["NODE_ENV"] !== "production" && variable(env, "DATABASE_URL") === undefined) return undefined;
  const why = env["NODE_ENV"] === "production" ? "production needs one" : "all processes of a database share one";
  throw misuse(`FORM_BACKEND_SECRET is not set, and ${why}. Make one with: openssl rand -hex 32`);
}

function listOf(env: Env, name: string): string[] | undefined {
  const parts = variable(env, name)
    ?.split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return parts && parts.length > 0 ? parts : undefined;
}

/** `FORM_BACKEND_TRUST_PROXY`: a number of proxies, or their networks. */
function proxiesOf(env: Env): number | string[] | undefined {
  const list = listOf(env, "FORM_BACKEND_TRUST_PROXY");
  return list?.length === 1 && /^\d{1,2}$/.test(list[0] as string) ? Number(list[0]) : list;
}

/** `PORT`, or the given one. */
export function portOf(env: Env, given: number | undefined): number {
  if (given !== undefined) return given;
  const text = variable(env, "PORT") ?? "3000";
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port >= 0 && port <= 65_535)) throw misuse(`PORT must be a number from 0 to 65535, not ${text}.`);
  return port;
}

/** A bucket and the account that may use it. */
interface Bucket {
  endpoint: string;
  bucket: string;
  prefix: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** `S3_URL`: `https://<key id>:<secret>@<host>/<bucket>/<folder>?region=<region>`. Throws a misuse that shows nothing of the secret. */
export function bucketOf(text: string): Bucket {
  const url = canParseUrl(text) ? new URL(text) : null;
  const form = "https://<key id>:<secret>@<host>/<bucket>?region=<region>";
  const wrong = (what: string) =>
    misuse(`S3_URL ${what}. Write it as ${form}, and percent-encode special characters of the secret.`);
  if (!url || !/^(https?|s3):$/.test(url.protocol)) throw wrong("is not a URL that begins with https:, http: or s3:");
  const [bucket = "", ...folder] = decodeURIComponent(url.pathname)
    .split("/")
    .filter((part) => part !== "");
  if (!url.username || !url.password) throw wrong("lacks the key id or the secret");
  if (bucket === "") throw wrong("lacks the bucket");
  const [, ofHost] = /\bs3[.-]([a-z]{2}(?:-[a-z]+)+-\d)\./.exec(url.host) ?? [];
  return {
    endpoint: `${url.protocol === "http:" ? "http:" : "https:"}//${url.host}`,
    bucket,
    prefix: folder.join("/"),
    region: url.searchParams.get("region") ?? ofHost ?? "us-east-1",
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
  };
}
