import { isBranded } from "../../../lib/brand.ts";
import { type Html, html } from "../../../lib/html.ts";
import { SIGNATURE_HEADER } from "../../../lib/signature-header.ts";
import { asCurl, type DeliveryRequest } from "../../../model/deliveries.ts";
import { literal } from "../layout/literal.ts";
import type { MemberRequest } from "../visit.ts";

/** Characters of a body that a page shows: a submission may have a million. */
const SHOWN = 64 * 1024;

/** A request as its receiver gets it, and for those who may send it again, as a command too. */
export function exactSection(visit: MemberRequest, request: DeliveryRequest | null, masked: boolean): Html {
  const { t, words, has } = visit;
  const d = t.delivery;
  const head = html`<h2>${d.request()}</h2>`;
  if (!request) return html`<section>${head}<p class="muted">${d.gone()}</p></section>`;
  const { method, url, headers, body } = request;
  const whole = body.length <= SHOWN;
  const lines = [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  const curl =
    has("forms:write") &&
    whole &&
    html`<details class="curl"><summary>${d.curl()}</summary><p class="muted">${masked ? d.curlMasked() : d.curlHelp()}</p><pre class="code" tabindex="0" dir="ltr" aria-label="${d.curl()}" data-copy>${literal(asCurl(request))}</pre></details>`;
  const header = visit.core.options.brand.signatureHeader;
  const verify =
    header in headers &&
    html`<details class="curl"><summary>${d.verify()}</summary><p class="muted">${d.verifyHelp({ header })}</p><pre class="code" tabindex="0" dir="ltr" aria-label="${d.verify()}" data-copy>${asReceiver(visit.core, header)}</pre></details>`;
  return html`<section>${head}<p class="muted">${d.requestHelp()}</p><h3>${d.headers()}</h3><pre class="code" tabindex="0" dir="ltr" aria-label="${d.headers()}">${lines.join("\n")}</pre><h3>${d.body()}</h3>${
    !whole && html`<p class="muted">${d.bodyCut({ size: words.size(Buffer.byteLength(body)) })}</p>`
  }<pre class="code" tabindex="0" dir="ltr" aria-label="${d.body()}" data-copy>${literal(body.slice(0, SHOWN))}</pre>${curl}${verify}</section>`;
}

/** The lines with which a receiver of this webhook finds out that a request is genuine. */
function asReceiver({ options: { brand } }: Pick<MemberRequest["core"], "options">, header: string): string {
  // Under a brand of the host's, the library of Standard Webhooks, whose headers come along.
  if (isBranded({ brand }))
    return `import { Webhook } from "standardwebhooks";

// rawBody: the body exactly as it arrived. Throws if the request is not genuine.
const event = new Webhook(process.env.WEBHOOK_SECRET).verify(rawBody, headers);`;
  const options = header === SIGNATURE_HEADER ? "" : `, { header: ${JSON.stringify(header)} }`;
  return `import { verifyWebhook } from "form-backend";

// rawBody: the body exactly as it arrived. Throws if the request is not genuine.
const event = verifyWebhook(rawBody, headers, process.env.WEBHOOK_SECRET${options});`;
}
