import type { Row } from "../core/rows.ts";
import { dialects } from "../dialects/_all.ts";
import type { Dialect } from "../dialects/_dialect.ts";
import { ApiError } from "../errors.ts";
import { endpointOf } from "../forms/view.ts";
import { bodyStream, mediaType, readBody, UPLOAD_PACE } from "../http/body.ts";
import { toApiError } from "../http/envelope.ts";
import { addressKey, addressOf, limitAddress, limitPost } from "../http/limits.ts";
import { opened } from "../http/opened.ts";
import type { Exchange, RawRoute } from "../http/route.ts";
import { wantsJson } from "../http/wants-json.ts";
import { parseJson } from "../lib/json.ts";
import { beforeOthers, visitTurn } from "../lib/turn.ts";
import type { Words } from "../locales/_words.ts";
import type { DialectName } from "../model/dialects.ts";
import { accept, openForm } from "./accept.ts";
import { countryOf } from "./country.ts";
import { dialectOf } from "./dialect-of.ts";
import { collectFields, type Posted } from "./fields.ts";
import { isHeavy, LIGHT_BYTES } from "./heavy.ts";
import { keyOf } from "./idempotency.ts";
import { wordsFor } from "./language.ts";
import { lateUploads } from "./late-uploads.ts";
import { assertOrigin, corsHeaders, nextUrl, originOf, pageOf } from "./origin.ts";
import { endpointFor, rememberedPage } from "./page-link.ts";
import { type BodySource, parsePost } from "./parse.ts";
import { failure, success } from "./respond.ts";
import { asksTrial, type Trial, trialOf } from "./routes-trial.ts";
import { salvage } from "./salvage.ts";
import { tellRefused, tellStored } from "./tell.ts";
import { thanksUrl } from "./thanks.ts";
import { type Translator, translate, unnamed } from "./translate.ts";
import { enterUpload } from "./upload-places.ts";
import { openUploads, type Uploads } from "./uploads.ts";

/** The public endpoint of every form. */
export const postRoutes: readonly RawRoute[] = [
  {
    method: "POST",
    path: "/f/:form_id",
    // The response to a form must have its usual shape even if the drivers can't be opened.
    unopened: true,
    handler: (exchange, { form_id = "", asked = endpointOf(exchange.core, form_id), dialect }) =>
      receive(exchange, {
        id: form_id,
        endpoint: asked,
        among: dialect === undefined ? [] : [dialects[dialect as DialectName]],
        json: false,
        find: async () => null,
      }),
  },
];

/** The way a post arrived. */
export interface Way {
  /** The form's id; null where its name is in the body. */
  readonly id: string | null;
  /** The address of the post: the error page posts there again, even while the form is unknown. */
  readonly endpoint: string;
  /** The dialects of the address; none where the form or the sender says which one. */
  readonly among: readonly Dialect[];
  /** Set where the response is JSON whatever the request says. */
  readonly json: boolean;
  /** The id of the form with a name that came in the body. */
  readonly find: (name: string) => Promise<string | null>;
}

/** Takes a post and responds to it. Never rejects. */
export const receive = (exchange: Exchange, way: Way): Promise<Response> =>
  exchange.core.telemetry.span(
    "form_backend.post",
    { form_id: way.id ?? "", request_id: exchange.requestId },
    () => beforeOthers((stepBack) => answered(exchange, way, stepBack)),
    ({ status }) => ({ attributes: { http_status: status }, failed: status >= 500 }),
  );

async function answered(
  exchange: Exchange,
  { id, endpoint, among, json: always, find }: Way,
  stepBack: () => void,
): Promise<Response> {
  const { core, request, requestId } = exchange;
  const { headers } = request;
  const type = mediaType(request);
  const json = always || wantsJson(headers, type);
  const from = pageOf(headers);
  // From our own error page the way leads back to where the visitor really came from.
  const page = from === null || from.startsWith(endpoint) ? rememberedPage(core, exchange.url) : from;
  let form = null as Row<"forms"> | null;
  const source: BodySource = {
    mediaType: type,
    contentType: headers.get("content-type") ?? "",
    async bytes(limit) {
      const bytes = await readBody(request, limit);
      if (bytes.length > LIGHT_BYTES) await turn();
      return bytes;
    },
    json: parseJson,
    stream: () => bodyStream(request, UPLOAD_PACE, turn),
  };
  const turn = async (): Promise<void> => {
    stepBack();
    const team = form?.value.team_id ?? "";
    await exchange.share.take(team);
    await visitTurn(team);
  };
  const collected = collectFields();
  let dialect = among[0] ?? dialectOf(core, null, headers);
  let translator = null as Translator | null;
  let uploads = null as Uploads | null;
  let trial = null as Trial | null;
  let leave = (): void => {};
  let reading = false;
  try {
    await opened(exchange);
    trial = await trialOf(exchange);
    const posted = id === null ? await readNamed() : await read(id);
    if (!form) throw new ApiError("form_not_found");
    if (isHeavy(form.value, posted)) await turn();
    const ip = addressOf(exchange);
    const visitor = {
      ip,
      country: await countryOf(core, ip, headers),
      user_agent: headers.get("user-agent")?.slice(0, 1024) ?? null,
      referer: page?.slice(0, 2048) ?? null,
      accept_language: headers.get("accept-language"),
      session: spoken()?.name === "formspree" ? headers.get("formspree-session-data") : null,
    };
    const key = keyOf(headers.get("idempotency-key"), posted.special._idempotency_key);
    const accepted = await (trial?.accept(form, posted, visitor) ?? accept(core, form, posted, visitor, key));
    if (!trial) tellStored(core, form.id, accepted.submission);
    // A page may keep its path to itself; its origin comes along all the same.
    const whence = page ?? originOf(headers);
    const next = nextUrl(posted.special._next, whence, form.value.allowed_origins, core.options.baseUrl);
    const { _language: language } = posted.special;
    const response = withCors(
      success({
        json,
        form: form.value,
        submission_id: accepted.id,
        fields: accepted.submission.fields,
        next,
        words: wordsOf(language),
        dialect: spoken(),
        // The page's URL is left out of the submission, so it reveals a value that must appear in no other place either.
        thanks: () =>
          thanksUrl(
            core,
            accepted.submission,
            accepted.submission.referer === null ? null : page,
            language && wordsOf(language).tag,
          ),
      }),
    );
    return trial ? await trial.report(response) : response;
  } catch (thrown) {
    const error = toApiError(thrown, requestId, core.options.logger);
    if (form && !trial) tellRefused(core, form.id, error, { ip: addressOf(exchange), origin: originOf(headers) });
    const salvaged = !json && !reading && error.code === "unavailable" ? await salvage(core, source, collected) : null;
    // Also of a post that was refused half-way: the fields received so far are shown again.
    const { fields, special, captcha } = collected.done();
    const again = error.headers["idempotency-key"];
    const kept = { ...special, ...(again && { _idempotency_key: again }) };
    const named = id === null ? translator?.named() : null;
    const toForm = named ? [[named.field, named.name] as const] : [];
    const steering = [...toForm, ...Object.entries(kept), ...captcha].map(([key, value]) => ({ key, value }));
    const isTrial = trial?.isOpen() ?? false;
    const response = withCors(
      failure(error, {
        words: wordsOf(special._language),
        json: json || (!isTrial && asksTrial(exchange)),
        form: form?.value ?? null,
        requestId,
        endpoint: endpointFor(core, endpoint, page),
        fields,
        steering,
        files: [...(salvaged ?? uploads?.inputs ?? [])].map(([key, count]) => ({ key, count })),
        whole: collected.isWhole(),
        page,
        dialect: spoken(),
      }),
    );
    return trial && isTrial ? await trial.report(response, error) : response;
  } finally {
    leave();
    await uploads?.close();
  }

  /** Finds the form and asks it whether it takes the post. Throws the codes of the endpoint's table. */
  async function enter(formId: string): Promise<Uploads> {
    await trial?.reach(formId);
    form = await core.rows.cached("forms", formId);
    // A form is counted below, where its origins are known to be right; ids that lead nowhere must cost their sender as well.
    if (!form && id !== null) await limitAddress(exchange);
    if (form && among.length === 0) dialect = dialectOf(core, form.value, headers);
    form = await openForm(core, formId);
    assertOrigin(form.value.allowed_origins, headers, endpoint);
    if (!trial) await limitPost(exchange, formId);
    exchange.share.note(form.value.team_id);
    // Before the body is read, so that nothing of it is kept while the post waits.
    const length = Number(headers.get("content-length") ?? Infinity);
    if (type === "multipart/form-data" || !(length <= LIGHT_BYTES)) await turn();
    return openUploads(core, form);
  }

  async function read(formId: string): Promise<Posted> {
    const entered = await enter(formId);
    if (type === "multipart/form-data") leave = enterUpload(core, addressKey(addressOf(exchange)));
    uploads = entered;
    reading = true;
    return parsePost(source, dialect ? translate(collected, [dialect]) : collected, entered);
  }

  /** Reads a post whose form is named in its body: within the limits of all forms, until it is known which one it is. */
  async function readNamed(): Promise<Posted> {
    await limitAddress(exchange);
    if (type === "multipart/form-data") leave = enterUpload(core, addressKey(addressOf(exchange)));
    const fields = translate(collected, among);
    translator = fields;
    const late = lateUploads(async () => {
      const named = fields.named();
      if (named === null) throw unnamed(among);
      return enter((await find(named.name)) ?? "-");
    });
    uploads = late;
    reading = true;
    const posted = await parsePost(source, fields, late);
    await late.opened();
    return posted;
  }

  /** The dialect of the post; where several are possible, the one that its fields show. */
  function spoken(): Dialect | null {
    return translator?.dialect() ?? dialect;
  }

  function wordsOf(field: string | undefined): Words {
    return wordsFor(core, form?.value ?? null, field, headers.get("accept-language"));
  }

  function withCors(response: Response): Response {
    for (const [name, value] of Object.entries(corsHeaders(form?.value.allowed_origins ?? [], headers)))
      response.headers.append(name, value);
    return response;
  }
}
