import { type Html, html } from "../../../lib/html.ts";
import { Submission } from "../../../model/submissions.ts";
import type { Item } from "../item.ts";
import { literal } from "../layout/literal.ts";
import type { MemberRequest } from "../visit.ts";

/** The submission as the API returns it. */
export function rawTab({ t }: MemberRequest, { submission }: Item): Html {
  const text = JSON.stringify(Submission.parse(submission), null, 2);
  return html`<pre class="code" tabindex="0" dir="ltr" aria-label="${t.item.json()}" data-copy>${literal(text)}</pre>`;
}
