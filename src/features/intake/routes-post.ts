import { mediaType } from "../../core/http/body.ts";
import { toVisitorError } from "../../core/http/envelope.ts";
import { addressOf } from "../../core/http/limits.ts";
import { opened } from "../../core/http/opened.ts";
import type { Exchange, RawRoute } from "../../core/http/route.ts";
import { wantsJson } from "../../core/http/wants-json.ts";
import type { ApiError } from "../../errors.ts";
import { beforeOthers } from "../../lib/turn.ts";
import type { DialectName } from "../../model/dialects.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { dialects } from "../dialects/_all.ts";
import { dressed } from "../forms/dressed.ts";
import { endpointOf } from "../forms/view.ts";
import { editUrl } from "../mail/edit-link.ts";
import { facing, facingKnown } from "../teams/face.ts";
import { accept } from "./accept.ts";
import { warnOfBareFiles } from "./bare-files.ts";
import { countryOf } from "./country.ts";
import { type Arrival, arriving, type PostAddress } from "./http/arrival.ts";
import { asksTrial, type Trial, trialOf } from "./http/trial.ts";
import { keyOf } from "./idempotency.ts";
import { wordsFor } from "./language.ts";
import { corsHeaders, namedOrigin, nextUrl, originOf, pageOf } from "./origin.ts";
import { endpointFor, rememberedPage } from "./page-link.ts";
import { failure, success } from "./respond.ts";
import { tellRefused, tellStored } from "./tell.ts";
import { thanksUrl } from "./thanks.ts";

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

/** Takes a post and responds to it. Never rejects. */
export function receive(exchange: Exchange, address: PostAddress): Promise<Response> {
  let arrival: Arrival | undefined;
  const team = () => ({ team_id: arrival?.form()?.value.team_id });
  const { telemetry } = exchange.core;
  const work = (): Promise<Response> =>
    beforeOthers((stepBack) => {
      arrival = arriving(exchange, address, stepBack);
      return answered(exchange, address, arrival);
    });
  return telemetry.timed(
    "form_backend.post.duration",
    () =>
      telemetry.span(
        "form_backend.post",
        { form_id: address.id ?? "", request_id: exchange.requestId },
        work,
        ({ status }) => ({ attributes: { http_status: status, ...team() }, failed: status >= 500 }),
      ),
    team,
  );
}

/** A post and how it is to be answered. */
interface PublicPost {
  readonly exchange: Exchange;
  readonly address: PostAddress;
  readonly arrival: Arrival;
  readonly json: boolean;
  /** The page that the visitor came from, null where the request does not tell. */
  readonly page: string | null;
}

async function answered(exchange: Exchange, address: PostAddress, arrival: Arrival): Promise<Response> {
  const { core, request, requestId } = exchange;
  const json = address.json || wantsJson(request.headers, mediaType(request));
  const from = pageOf(request.headers);
  // Our own error page keeps the page that the visitor came from.
  const page = from === null || from.startsWith(address.endpoint) ? rememberedPage(core, exchange.url) : from;
  const post = { exchange, address, arrival, json, page };
  let trial = null as Trial | null;
  try {
    await opened(exchange);
    trial = asksTrial(exchange) ? await trialOf(exchange) : null;
    const response = await accepted(post, trial);
    return trial ? await trial.report(response) : response;
  } catch (thrown) {
    const error = toVisitorError(thrown, requestId, core.options.logger);
    const isTold = trial?.isOpen() ?? false;
    const response = await refused({ ...post, json: json || (!isTold && asksTrial(exchange)) }, error, trial);
    return trial && isTold ? await trial.report(response, error) : response;
  } finally {
    await arrival.close();
  }
}

/** Takes the post. Throws the codes of the endpoint's table. */
async function accepted(post: PublicPost, trial: Trial | null): Promise<Response> {
  const { exchange, arrival, json, page } = post;
  const { headers } = exchange.request;
  const { form, posted } = await arrival.read(trial);
  const { team_id } = form.value;
  const core = facingKnown(exchange.core, team_id) ?? (await facing(exchange.core, team_id));
  const ip = addressOf(exchange);
  const visitor = {
    ip,
    country: core.options.country === undefined ? null : await countryOf(core, ip, headers),
    user_agent: headers.get("user-agent")?.slice(0, 1024) ?? null,
    referer: page?.slice(0, 2048) ?? null,
    accept_language: headers.get("accept-language"),
    session: arrival.dialect()?.name === "formspree" ? headers.get("formspree-session-data") : null,
  };
  const key = keyOf(headers.get("idempotency-key"), posted.special._idempotency_key);
  const { id, submission } = await (trial?.accept(form, posted, visitor) ?? accept(core, form, posted, visitor, key));
  if (!trial) tellStored(core, form.id, submission);
  if (!trial) warnOfBareFiles(core, form.id, mediaType(exchange.request), posted.fields);
  // A page may keep its path to itself; its origin comes along all the same.
  const pageOrOrigin = page ?? originOf(headers);
  const words = wordsOf(post, posted.special._language);
  // The page's URL is left out of the submission, so it reveals a value that must appear in no other place either.
  const shown = submission.referer === null ? null : page;
  const edit_url = trial ? null : editUrl(core, id, submission, form.value);
  const response = success({
    json,
    form: form.value,
    submission_id: id,
    fields: submission.fields,
    next: nextUrl(posted.special._next, pageOrOrigin, form.value.allowed_origins, core.options.baseUrl),
    words,
    dialect: arrival.dialect(),
    thanks: () =>
      thanksUrl(core, submission, { page: shown, language: posted.special._language && words.tag, edit_url }),
    edit_url,
  });
  return withCors(post, response);
}

async function refused(post: PublicPost, error: ApiError, trial: Trial | null): Promise<Response> {
  const { exchange, address, arrival, json, page } = post;
  const { core, request, requestId } = exchange;
  const form = arrival.form();
  if (form && !trial)
    tellRefused(core, form.id, error, { ip: addressOf(exchange), origin: namedOrigin(request.headers) });
  // The fields that arrived before the refusal are shown again.
  const { language, steering, ...remains } = await arrival.remains(!json && error.code === "unavailable");
  const again = error.headers["idempotency-key"];
  const kept = again ? [...steering.filter(({ key }) => key !== "_idempotency_key"), repeat(again)] : steering;
  // A store that has just failed must not hide why.
  const face = form ? await facing(core, form.value.team_id).catch(() => core) : core;
  const { baseUrl } = face.options;
  const next = steering.find(({ key }) => key === "_next")?.value;
  const response = failure(error, {
    ...remains,
    steering: kept,
    words: wordsOf(post, language),
    json,
    form: form ? dressed(face, form.value) : null,
    look: face.options.look,
    requestId,
    endpoint: endpointFor(core, address.endpoint, page),
    page,
    // The page may have an old address of the form, whose thank-you page is at the team's.
    targets: [baseUrl, nextUrl(next, page, form?.value.allowed_origins ?? [], baseUrl) ?? ""],
    dialect: arrival.dialect(),
  });
  return withCors(post, response);
}

/** The field that makes a repeated post safe where the first one may have been stored. */
const repeat = (value: string): SubmissionField => ({ key: "_idempotency_key", value });

const wordsOf = ({ exchange, arrival }: PublicPost, language: string | undefined): Words =>
  wordsFor(exchange.core, arrival.form()?.value ?? null, language, exchange.request.headers.get("accept-language"));

function withCors({ exchange, arrival }: PublicPost, response: Response): Response {
  const allowed = arrival.form()?.value.allowed_origins ?? [];
  for (const [name, value] of Object.entries(corsHeaders(allowed, exchange.request.headers)))
    response.headers.append(name, value);
  return response;
}
