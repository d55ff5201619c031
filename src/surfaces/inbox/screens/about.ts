import { html } from "../../../lib/html.ts";
import { page } from "../layout/page.ts";
import type { MemberRequest } from "../visit.ts";

/** The team, and how many forms the person sees in it. */
export async function aboutScreen(visit: MemberRequest): Promise<Response> {
  const { title, forms } = visit.t.about;
  const { data } = await visit.call("listForms", {});
  const content = html`<div class="narrow"><h1>${title()}</h1><p>${forms({ count: data.length })}</p></div>`;
  return page(visit, { title: title(), content });
}
