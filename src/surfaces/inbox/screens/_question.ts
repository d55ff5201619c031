import { type Html, html } from "../../../lib/html.ts";
import type { Act } from "../bulk-actions.ts";
import { page } from "../layout/page.ts";
import type { MemberRequest } from "../visit.ts";
import { heldBack } from "./_bill.ts";
import { hidden } from "./_toolbar.ts";

interface Question {
  readonly act: Act;
  /** True where nothing takes a deletion back, because a form has no trash. */
  readonly forGood: boolean;
  /** The number of submissions that the act is for. */
  readonly number: number;
  /** The submissions that a bill counts, and what it says where they are not all. */
  readonly counted: { readonly ids: readonly string[]; readonly most?: string };
  readonly form_id?: string;
  /** Where "Confirm" posts to, and where "Cancel" leads. */
  readonly action: string;
  readonly cancel: string;
  readonly carried: readonly (readonly [name: string, value: string])[];
  /** Said below the title. */
  readonly about?: Html | false;
  /** A control that has to be filled in. */
  readonly control?: Html | false;
}

/** Acts that ask before they are done: what they do can't be taken back. */
export const asksFirst = (act: Act): boolean => act === "delete_forever" || act === "deliver";

/** Names the number of submissions and what is lost or sent, for selected rows and for all that match alike. */
export async function question(visit: MemberRequest, asked: Question): Promise<Response> {
  const { t } = visit;
  const { act, number, counted, form_id } = asked;
  const where = form_id === undefined ? {} : { form_id };
  const cancel = html`<a class="button" href="${asked.cancel}">${t.bulk.cancel()}</a>`;
  const deletes = act === "delete" || act === "delete_forever";
  const isNone = number === 0;
  const title = isNone
    ? t.bulk.none()
    : deletes
      ? t.bulk.deleteTitle({ count: number })
      : t.bulk.doTitle({ count: number, action: nameOf(visit, act) });
  if (isNone) {
    const content = html`<div class="question"><h1>${title}</h1><p class="actions">${cancel}</p></div>`;
    return page(visit, { title, ...where, content });
  }
  const content = html`<div class="question"><h1>${title}</h1>${asked.about}${deletes && html`<p>${asked.forGood ? t.bulk.deleteHelp() : t.work.trashHelp()}</p>`}${
    act === "deliver" && (await bill(visit, counted))
  }<form method="post" action="${asked.action}">${hidden([["action", act], ["confirm", "1"], ...asked.carried])}${asked.control}<p class="actions"><button class="button ${deletes ? "danger-fill" : "primary"}">${t.bulk.confirm()}</button>${cancel}</p></form></div>`;
  return page(visit, { title, ...where, content });
}

async function bill(visit: MemberRequest, { ids, most }: Question["counted"]): Promise<Html> {
  const what = await heldBack(visit, ids);
  const said = what === null ? visit.t.spam.billNothing() : visit.t.spam.bill({ what });
  return html`<p>${said}${most !== undefined && html` ${most}`}</p>`;
}

/** The name of an act, as its button has it. */
const nameOf = ({ t }: MemberRequest, act: Act): string =>
  ({
    mark_read: t.list.read(),
    mark_unread: t.list.unread(),
    mark_spam: t.list.toSpam(),
    mark_not_spam: t.list.notSpam(),
    deliver: t.list.notSpamSend(),
    done: t.work.doDone(),
    reopen: t.work.reopen(),
    restore: t.work.restore(),
    delete_forever: t.work.deleteForever(),
    delete: t.list.delete(),
  })[act];
