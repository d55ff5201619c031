/** An S3 server refused something, or did not respond. */
export class S3Error extends Error {
  override readonly name = "S3Error";
  /** HTTP status, 0 without a response. */
  readonly status: number;
  /** S3's own code, such as NoSuchKey; empty where none was sent. */
  readonly code: string;
  /** True if the same request may succeed a moment later. */
  readonly passing: boolean;

  constructor(what: string, { status = 0, code = "", passing = false, cause }: Partial<S3Error> = {}) {
    super(`[form-backend] s3Blob: ${what}`, cause === undefined ? {} : { cause });
    this.status = status;
    this.code = code;
    this.passing = passing;
  }
}

/** The parts of a response that decide about its error. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Its body: XML, as a rule. */
  readonly text: string;
}

/** The driver's options that help to name the wrong one. */
interface Where {
  readonly endpoint: URL;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
}

const PASSING = new Set(["SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout", "Busy"]);

/** An unsuccessful response, as a sentence that names the option to check. */
export function refused(answer: Answer, where: Where): S3Error {
  const { status, text } = answer;
  const code = /^\w+$/.exec(element(text, "Code"))?.[0] ?? "";
  const passing = status >= 500 || status === 429 || PASSING.has(code);
  return new S3Error(explain(answer, code, where), { status, code, passing });
}

/** The text of the first element with a name, empty if there is none. S3's documents are flat enough for this. */
export function element(xml: string, name: string): string {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? "";
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(lt|gt|quot|apos|amp));/gi, (_, decimal, hex, name: string) =>
    // Servers written in Go have quotes by their numbers.
    name ? (ENTITIES[name.toLowerCase()] ?? "") : characterOf(Number.parseInt(decimal ?? hex, decimal ? 10 : 16)),
  );
}
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
const characterOf = (point: number): string => (point <= 0x10ffff ? String.fromCodePoint(point) : "");

function explain({ status, headers, text }: Answer, code: string, where: Where): string {
  const { endpoint, bucket, region, accessKeyId } = where;
  const answered = `${endpoint.origin} answered ${[status, code].filter(Boolean).join(" ")}`;
  switch (code) {
    case "InvalidAccessKeyId":
      return `${answered}: it does not know the access key ${accessKeyId}. Check \`accessKeyId\` and \`endpoint\`.`;
    case "SignatureDoesNotMatch":
      return `${answered}: the signature is wrong. Check \`secretAccessKey\` of the access key ${accessKeyId}, and \`region\`.`;
    case "RequestTimeTooSkewed":
      return `${answered}: the clock of this machine is wrong. Set it by NTP.`;
    case "NoSuchBucket":
      return `${answered}: there is no bucket “${bucket}”. Make it, or check \`bucket\` and \`endpoint\`.`;
  }
  const home = headers.get("x-amz-bucket-region") ?? element(text, "Region");
  if (code === "AuthorizationHeaderMalformed" || (status >= 300 && status < 400)) {
    const hint = /^[\w-]{1,40}$/.test(home) ? ` It is in ${home}.` : "";
    return `${answered}: the bucket “${bucket}” is not in the region ${region}.${hint} Check \`region\` and \`endpoint\`.`;
  }
  if (status === 401 || status === 403) {
    return `${answered}: the access key ${accessKeyId} may not use the bucket “${bucket}” like this. Check \`bucket\`, and that the key has the permissions in docs/drivers/s3.md.`;
  }
  const said = element(text, "Message");
  return `${answered}${said && `: ${said.replace(/\p{Cc}+/gu, " ").slice(0, 300)}`}.`;
}
