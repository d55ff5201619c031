import { z } from "zod";
import { wrongParameter } from "../../../errors.ts";
import { parseInput } from "../../../lib/input.ts";
import {
  type DestinationConfig,
  DestinationConfigInput,
  type HttpConfig,
  MAX_HEADERS,
} from "../../../model/destinations.ts";
import { maskValue } from "../../../model/webhook-mask.ts";
import { byStatus } from "./answers.ts";
import { assertTemplate, filled } from "./http-template.ts";
import { facts } from "./table.ts";
import type { Answer, Destination, RequestFormat, Verdict } from "./types.ts";

/** Headers of the connection, of the length, and those that we write ourselves. */
const RESERVED = new Set(
  `accept-encoding connection content-encoding content-length content-type expect host http2-settings keep-alive proxy-authenticate
  proxy-authorization proxy-connection te trailer transfer-encoding upgrade webhook-id webhook-signature webhook-timestamp
  x-service-attempt x-service-event x-service-signature`.split(/\s+/),
);
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e]*$/;
/** The whole head of a request that most servers take is 8 KiB. */
const MAX_HEADER_BYTES = 6_144;

const Complete = z.strictObject({
  method: DestinationConfigInput.shape.method.unwrap().default("POST"),
  headers: z.record(z.string(), z.string()).default({}),
  content_type: DestinationConfigInput.shape.content_type.unwrap().default("application/json"),
  body: DestinationConfigInput.shape.body.unwrap(),
  success: DestinationConfigInput.shape.success.unwrap().default(["2xx"]),
});

/** Any HTTP API that takes a submission as one request. */
export const http: Destination = {
  complete(config, { brand: { signatureHeader } }) {
    const whole: HttpConfig = parseInput(Complete, config, "config");
    assertHeaders(whole.headers, signatureHeader);
    assertTemplate(whole.body, whole.content_type);
    return { ...whole };
  },
  shown(config) {
    const { headers, ...rest } = config as unknown as HttpConfig;
    const masked = Object.entries(headers).map(([name, value]) => [name, maskValue(value)]);
    return { ...rest, headers: Object.fromEntries(masked) } as DestinationConfig;
  },
  format: (config) => formatOf(config as unknown as HttpConfig),
};

function formatOf({ method, headers, content_type, body, success }: HttpConfig): RequestFormat {
  return {
    ...facts.http,
    name: "http",
    method,
    headers: { ...headers, "content-type": content_type === "text/plain" ? "text/plain; charset=utf-8" : content_type },
    body: (event) => filled(body, content_type, event),
    classify: (answer) => verdictOf(answer, success),
  };
}

function verdictOf(answer: Answer, success: HttpConfig["success"]): Verdict {
  const { status } = answer;
  if (success.some((one) => one === status || one === `${Math.floor(status / 100)}xx`)) return { end: "delivered" };
  const verdict = byStatus(answer);
  if (verdict.end !== "delivered") return verdict;
  return { end: "retry", message: `The receiver returned ${status}, which is none of the statuses in config.success.` };
}

function assertHeaders(headers: HttpConfig["headers"], signatureHeader: string): void {
  const names = Object.keys(headers);
  if (names.length > MAX_HEADERS) throw wrongParameter("config.headers", `must have at most ${MAX_HEADERS} entries`);
  const seen = new Set<string>();
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    const at = `config.headers.${name}`;
    const lower = name.toLowerCase();
    if (!TOKEN.test(name)) throw wrongParameter("config.headers", "has a name that is none of a header");
    if (lower === "content-type") throw wrongParameter(at, "is set by `config.content_type`; leave it out");
    if (RESERVED.has(lower) || lower === signatureHeader.toLowerCase())
      throw wrongParameter(at, "belongs to the connection or to our signature; leave it out");
    if (seen.has(lower)) throw wrongParameter(at, "is there twice; letter case makes no difference");
    seen.add(lower);
    if (!VALUE.test(value)) throw wrongParameter(at, "has a line break or another character that no header may have");
    bytes += name.length + value.length + 4;
  }
  if (bytes > MAX_HEADER_BYTES) throw wrongParameter("config.headers", `must have at most ${MAX_HEADER_BYTES} bytes`);
}
