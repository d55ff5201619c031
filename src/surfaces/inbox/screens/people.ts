import { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import { parseInput } from "../../../lib/input.ts";
import { DataSubject, type ErasureReceipt } from "../../../model/data-subjects.ts";
import { privateHeaders } from "../answer.ts";
import { posted } from "../body.ts";
import { faultText } from "../faults.ts";
import { page } from "../layout/page.ts";
import { count, longTime } from "../layout/time.ts";
import { teamChoice, teamIdOf, teamOf } from "../team.ts";
import type { MemberRequest } from "../visit.ts";
import { labelled } from "./_labelled.ts";
import { personTable } from "./_person.ts";

/** A person at a page: the address is posted and never in an address bar, a log or a history. */
interface Asked {
  readonly email: string;
  readonly result?: Html;
  readonly fault?: ApiError;
}

/** Asks for an address, and shows what was found. */
export async function peopleScreen(
  visit: MemberRequest,
  { email, result, fault }: Asked = { email: "" },
): Promise<Response> {
  const p = visit.t.people;
  const team = await teamOf(visit);
  const said = fault ? faultText(visit, fault) : null;
  const ask = html`<form method="post" action="${actionOf(visit, team.id)}">${labelled(
    { id: "email", label: p.email(), help: p.emailHelp(), fault: said },
    (attributes) =>
      html`<input ${attributes} type="email" required maxlength="320" value="${email}" autocomplete="off" spellcheck="false" dir="ltr">`,
  )}<p class="actions"><button class="button primary" name="action" value="find">${p.find()}</button></p></form>`;
  const content = html`<div class="head"><h1>${p.title()}</h1>${await teamChoice(visit, "/people", team.id)}</div><p class="muted pad">${p.help()}</p><div class="narrow">${ask}</div>${result ?? html``}`;
  return page(visit, { title: p.title(), content, status: fault?.status ?? 200 });
}

const actionOf = ({ to }: MemberRequest, team: string): string => to("/people", { team });

/** Finds, exports or erases all of one address. */
export async function peopleAct(visit: MemberRequest): Promise<Response> {
  const { t } = visit;
  const body = await posted(visit.exchange.request);
  const team = teamIdOf(visit);
  const given = (body.get("email") ?? "").trim().slice(0, 1_000);
  const action = body.get("action");
  if (action === "export" && !visit.can("export")) throw new ApiError("insufficient_scope");
  if (action === "erase" && !visit.can("erase")) throw new ApiError("insufficient_scope");
  const subject = subjectOf(given);
  if (subject instanceof ApiError) return peopleScreen(visit, { email: given, fault: subject });
  const asked = { params: { team_id: team }, body: subject };
  if (action === "export") return exported(visit, await visit.call("exportPerson", asked));
  if (action === "erase") {
    const typed = body.get("typed");
    if (typed?.trim().toLowerCase() !== subject.email.toLowerCase()) {
      return question(visit, team, subject.email, typed !== null);
    }
    return receiptPage(visit, team, await visit.call("erasePerson", asked));
  }
  const found = await visit.call("findPerson", asked);
  const carried = html`<input type="hidden" name="email" value="${subject.email}">`;
  const button = (name: string, text: string, kind = ""): Html =>
    html`<button class="button ${kind}" name="action" value="${name}">${text}</button>`;
  const acts = html`<form class="acts" method="post" action="${actionOf(visit, team)}">${carried}${visit.can("export") && button("export", t.people.export())}${visit.can("erase") && button("erase", t.people.erase(), "danger")}</form>`;
  const result = personTable(visit, found, acts);
  return peopleScreen(visit, { email: subject.email, result });
}

function subjectOf(email: string): DataSubject | ApiError {
  try {
    return parseInput(DataSubject, { email });
  } catch (error) {
    if (error instanceof ApiError && error.code === "invalid_parameter") return error;
    throw error;
  }
}

const exported = ({ settings }: MemberRequest, file: ReadableStream<Uint8Array>): Response =>
  new Response(file, {
    headers: {
      ...privateHeaders(settings),
      "content-type": "application/json; charset=utf-8",
      "content-disposition": 'attachment; filename="person.json"',
    },
  });

function question(visit: MemberRequest, team: string, email: string, isWrong: boolean): Promise<Response> {
  const { t, to } = visit;
  const p = t.people;
  const title = p.eraseTitle({ email });
  const control = labelled(
    { id: "typed", label: p.type(), fault: isWrong ? p.typeWrong({ email }) : null },
    (attributes) =>
      html`<input ${attributes} required maxlength="320" autocomplete="off" spellcheck="false" dir="ltr">`,
  );
  const content = html`<div class="question"><h1>${title}</h1><p>${p.eraseHelp()}</p><form method="post" action="${actionOf(visit, team)}"><input type="hidden" name="email" value="${email}">${control}<p class="actions"><button class="button danger-fill" name="action" value="erase">${p.erase()}</button><a class="button" href="${to("/people", { team })}">${t.bulk.cancel()}</a></p></form></div>`;
  return page(visit, { title, content, status: isWrong ? 400 : 200 });
}

/** The receipt is the answer to the `POST`: an address that leads to it could be made up by anybody. */
function receiptPage(visit: MemberRequest, team: string, receipt: ErasureReceipt): Promise<Response> {
  const { t, to } = visit;
  const p = t.people;
  const { submissions, files, deliveries } = receipt.erased;
  const line = (name: string, value: Html | string): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const content = html`<div class="question"><h1>${p.receipt()}</h1><p>${p.receiptHelp()}</p><dl class="details">${line(p.submissions(), count(visit, submissions))}${line(p.files(), count(visit, files))}${line(p.deliveries(), count(visit, deliveries))}${line(p.at(), longTime(visit, receipt.at))}</dl><pre class="code" tabindex="0" dir="ltr" aria-label="${p.json()}" data-copy>${JSON.stringify(receipt, null, 2)}</pre><p class="actions"><a class="button primary" href="${to("/people", { team })}">${p.again()}</a></p></div>`;
  return page(visit, { title: p.receipt(), content });
}
