import { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import { oneLine } from "../../../lib/one-line.ts";
import type { Trouble } from "../../../model/deliveries.ts";
import type { HostForm } from "../../../model/forms.ts";
import { readerOf } from "../../../model/keys.ts";
import { isUnreadBy } from "../../../model/readers.ts";
import type { HostSubmission } from "../../../model/submissions.ts";
import { cameFrom } from "../filters.ts";
import { icon } from "../layout/icons.ts";
import { shortTime } from "../layout/time.ts";
import { answered, ColumnsSchema } from "../options.ts";
import type { There } from "../presence.ts";
import { summaryOf } from "../summary.ts";
import type { MemberRequest } from "../visit.ts";
import { spamReason } from "./_spam.ts";

type ListedForm = Parameters<NonNullable<MemberRequest["settings"]["columns"]>>[0];

interface TableOptions {
  readonly caption: string;
  /** For a list over all forms, which names each one. */
  readonly formNames?: ReadonlyMap<string, string>;
  /** The one form of the list. */
  readonly form?: ListedForm & Pick<HostForm, "settings">;
  /** For those that wait for a confirmation, which are neither read nor marked. */
  readonly pending?: boolean;
  /** The people who are at them, by submission. */
  readonly there?: Readonly<Record<string, There>>;
}

/** Submissions as lines of a table. */
export async function submissionTable(
  visit: MemberRequest,
  list: readonly HostSubmission[],
  { caption, formNames, form, pending = false, there = {} }: TableOptions,
): Promise<Html> {
  const { t } = visit;
  const l = t.list;
  const shown = columned(visit, form);
  const selects = !pending && visit.has("submissions:write") && visit.shows("bulk");
  const troubles = pending ? new Map<string, Trouble>() : await troublesOf(visit, list);
  const cols = html`<colgroup>${selects && html`<col class="pick">`}<col class="from"><col><col class="marks"></colgroup>`;
  const head = html`<thead class="sr"><tr>${selects && html`<th scope="col">${l.select()}</th>`}<th scope="col">${l.from()}</th><th scope="col">${l.message()}</th><th scope="col">${l.time()}</th></tr></thead>`;
  return html`<table class="list"><caption class="sr">${caption}</caption>${cols}${head}<tbody>${list.map(
    (submission) =>
      row(visit, submission, {
        selects,
        formNames,
        pending,
        shown,
        trouble: troubles.get(submission.id),
        there: there[submission.id],
      }),
  )}</tbody></table>`;
}

interface RowOptions {
  readonly formNames: ReadonlyMap<string, string> | undefined;
  readonly selects: boolean;
  readonly pending: boolean;
  readonly trouble: Trouble | undefined;
  readonly there: There | undefined;
  readonly shown: (submission: HostSubmission) => Pick<ReturnType<typeof summaryOf>, "from" | "preview">;
}

/** The first of the columns of the host, otherwise of the form, names the row, and the others are its preview. */
export function columned(
  { settings }: MemberRequest,
  form: (ListedForm & Pick<HostForm, "settings">) | undefined,
): (submission: HostSubmission) => Pick<ReturnType<typeof summaryOf>, "from" | "preview"> {
  const { columns } = settings;
  if (!form) return summaryOf;
  const { id, name, team_id } = form;
  const ofHost = columns ? answered("columns", ColumnsSchema, () => columns({ id, name, team_id })) : [];
  const [first = "", ...rest] = ofHost.length > 0 ? ofHost : form.settings.columns;
  if (first === "") return summaryOf;
  return (submission) => {
    const { fields } = submission;
    const of = (name: string): string =>
      fields
        .filter(({ key }) => key === name)
        .map(({ value }) => oneLine(value.slice(0, 600)))
        .join(", ");
    const from = of(first).slice(0, 200) || summaryOf(submission).from;
    return { from, preview: rest.map(of).filter(Boolean).join(" · ").slice(0, 300) };
  };
}

/** The submissions with a delivery in trouble, and the worse of its states. A form that is gone by now has none. */
async function troublesOf(visit: MemberRequest, list: readonly HostSubmission[]): Promise<Map<string, Trouble>> {
  const forms = new Set(list.map(({ form_id }) => form_id));
  const found = await Promise.all(
    Array.from(forms, async (form_id) => {
      const submissions = list.filter((one) => one.form_id === form_id);
      const body = { submissions: submissions.map(({ id, created_at }) => ({ id, created_at })) };
      return visit.call("listTroubles", { params: { form_id }, body }).catch((error: unknown) => {
        if (error instanceof ApiError && error.code === "form_not_found") return {};
        throw error;
      });
    }),
  );
  return new Map(found.flatMap((troubles) => Object.entries(troubles)));
}

/** Somebody who is at a submission. The script makes the same. */
const thereMark = ({ says, letter }: There): Html =>
  html`<span class="there" role="img" title="${says}" aria-label="${says}">${letter}</span>`;

/** A delivery that failed or is tried again. */
const troubleMark = ({ t }: MemberRequest, trouble: Trouble): Html =>
  html`<span class="trouble ${trouble}" data-delivery="${trouble}">${icon("warn", t.marks[trouble]())}</span>`;

function row(
  visit: MemberRequest,
  submission: HostSubmission,
  { selects, formNames, pending, trouble, there, shown }: RowOptions,
): Html {
  const { t, to, query } = visit;
  const { id, form_id, created_at, files } = submission;
  const read = pending || !isUnreadBy(submission, readerOf(visit.member.caller));
  const { from, preview } = shown(submission);
  const reason = submission.spam ? spamReason(visit, submission) : null;
  const list = new URLSearchParams(query);
  if (formNames) list.set("from", "all");
  const href = to(`/f/${form_id}/${pending ? "pending" : "s"}/${id}`, cameFrom(list));
  return html`<tr data-submission-id="${id}" id="s-${id}"${!read && html` class="unread"`}>${
    selects &&
    html`<td class="pick"><label><input type="checkbox" name="ids" value="${id}" form="bulk" aria-label="${t.list.select()}: ${from || id}"></label></td>`
  }<th scope="row" class="from"><a href="${href}">${!read && html`<span class="dot" title="${t.list.isUnread()}"><span class="sr">${t.list.isUnread()}: </span></span>`}<bdi>${from || t.list.noValues()}</bdi></a></th><td class="preview">${
    reason !== null && html`<span class="pill warn reason" dir="auto">${reason}</span> `
  }<a href="${href}" tabindex="-1" aria-hidden="true">${
    formNames && html`<bdi class="pill">${formNames.get(form_id) ?? t.item.formGone()}</bdi> `
  }${submission.work.labels.map((label) => html`<bdi class="pill">${label}</bdi> `)}${
    submission.work.assignee && html`<bdi class="pill">@${submission.work.assignee.name}</bdi> `
  }${submission.work.state === "done" && html`<span class="pill">${t.work.done()}</span> `}<bdi>${preview}</bdi></a></td><td class="marks">${there && thereMark(there)}${trouble && troubleMark(visit, trouble)}${files.length > 0 && icon("clip", t.list.files({ count: files.length }))}${shortTime(visit, created_at)}</td></tr>`;
}
