import { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import { fileResponse } from "../../../lib/response.ts";
import type { SubmissionFile } from "../../../model/submission-file.ts";
import { viewedAs } from "../../../model/viewed-files.ts";
import { cameFrom } from "../filters.ts";
import { itemOf } from "../item.ts";
import { icon } from "../layout/icons.ts";
import { page } from "../layout/page.ts";
import { summaryOf } from "../summary.ts";
import type { MemberRequest } from "../visit.ts";

/** The id of a file, which its signed link has. */
const idOf = ({ url }: SubmissionFile): string => /\/files\/(file_\w+)\//.exec(url)?.[1] ?? "";

/** The page that shows a file; null for one that is only downloaded. */
export const viewOf = (visit: MemberRequest, at: string, file: SubmissionFile): string | null =>
  viewedAs(file) === null ? null : visit.to(`${at}/files/${idOf(file)}`, cameFrom(visit.query));

/** Browsers start their viewer of PDF in no frame with this attribute. The policy of the file keeps it apart all the same. */
const boxed = (file: SubmissionFile): Html | false => viewedAs(file) !== "application/pdf" && html` sandbox`;

/** A file in a frame of its own, with the ways to the one before and after it. */
export async function fileScreen(visit: MemberRequest): Promise<Response> {
  const { t, to, query, params } = visit;
  const { submission, at } = await itemOf(visit);
  const shown = submission.files.filter((file) => viewedAs(file) !== null);
  const here = shown.findIndex((file) => idOf(file) === params["file_id"]);
  const file = shown[here];
  if (!file) throw new ApiError("not_found");
  const side = (one: SubmissionFile | undefined, way: "prev" | "next", text: string) => {
    const href = one && viewOf(visit, at, one);
    const sign = icon(way === "prev" ? "back" : "next");
    return href
      ? html`<a class="button quiet" rel="${way}" href="${href}" aria-label="${text}" title="${text}" data-key="${way === "prev" ? "k" : "j"}">${sign}</a>`
      : html`<span class="button quiet off">${sign}</span>`;
  };
  const content = html`<div class="viewer"><div class="item-bar"><a class="button quiet" href="${to(at, cameFrom(query))}" data-key="u">${icon("back")}${summaryOf(submission).from || t.item.back()}</a><span class="grow"></span>${side(shown[here - 1], "prev", t.item.previousFile())}${side(shown[here + 1], "next", t.item.nextFile())}<a class="button" href="${file.url}" download>${t.item.download()}</a></div><h1><bdi>${file.name}</bdi></h1><iframe src="${to(`${at}/content/${idOf(file)}`)}" title="${file.name}"${boxed(file)}></iframe></div>`;
  return page(visit, { title: file.name, form_id: submission.form_id, content });
}

/**
 * The bytes of a file for the frame. The type is one that no browser runs, whatever the sender calls it; the policy gives the
 * document an origin of its own, without scripts, forms and anything loaded, should a browser show it in another way.
 */
export async function fileContent(visit: MemberRequest): Promise<Response> {
  const { params, settings } = visit;
  const { form_id = "", submission_id: id = "", file_id = "" } = params;
  const { stream, content_type } = await visit.call("viewFile", { params: { form_id }, body: { id, file_id } });
  const { embed } = settings;
  return new Response(stream, {
    headers: {
      "content-type": content_type,
      "content-disposition": "inline",
      "content-security-policy": `default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'self'${embed ? ` ${embed.origins.join(" ")}` : ""}`,
      ...(!embed && { "x-frame-options": "SAMEORIGIN" }),
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      vary: "Cookie",
      "x-robots-tag": "noindex",
      "x-content-type-options": "nosniff",
    },
  });
}

/** All files of a submission as a zip. */
export async function filesZip(visit: MemberRequest): Promise<Response> {
  const { form_id = "", submission_id: id = "" } = visit.params;
  return fileResponse(await visit.call("zipFiles", { params: { form_id }, body: { id } }));
}
