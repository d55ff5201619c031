import { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import type { EmailServer } from "../../../model/email-servers.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { icon } from "../layout/icons.ts";
import { noticeCookie } from "../layout/notice.ts";
import { page } from "../layout/page.ts";
import { teamChoice, teamIdOf, teamOf } from "../team.ts";
import type { MemberRequest } from "../visit.ts";
import { inputOf, type ServerDraft, serverForm } from "./_server-form.ts";

const blank: ServerDraft = { name: "", host: "", port: "587", secure: false, username: "", from: "" };

/** A refusal on the page that asked. */
interface Refused {
  readonly fault: ApiError;
  readonly draft?: ServerDraft;
  /** True where a stored server was tested, and nothing was to be changed. */
  readonly tested?: boolean;
}

/** The email servers of a team, or one of them. */
export async function serversScreen(visit: MemberRequest, refused: Refused | null = null): Promise<Response> {
  const { t, to, query } = visit;
  const s = t.server;
  const team = await teamOf(visit);
  const params = { team_id: team.id };
  const id = query.get("server");
  if (id !== null) {
    return serverScreen(visit, team.id, await visit.call("retrieveServer", { params, body: { id } }), refused);
  }
  const servers = await visit.call("listServers", { params });
  const list =
    servers.length === 0
      ? html`<div class="empty">${icon("tray")}<h2>${s.none()}</h2><p>${s.noneHelp()}</p></div>`
      : table(visit, team.id, team.name, servers);
  const form = serverForm(visit, {
    action: to("/email-servers", { team: team.id }),
    draft: refused?.draft ?? blank,
    fault: refused?.fault ?? null,
    stored: null,
  });
  const content = html`<div class="head"><h1>${s.title()}</h1>${await teamChoice(visit, "/email-servers", team.id)}</div><p class="muted pad">${s.help()}</p>${list}<div class="narrow"><h2>${s.add()}</h2>${form}</div>`;
  return page(visit, { title: s.title(), content, status: refused?.fault.status ?? 200 });
}

function table(visit: MemberRequest, team_id: string, team: string, servers: readonly EmailServer[]): Html {
  const { t, to } = visit;
  const s = t.server;
  const line = ({ id, name, host, port, from }: EmailServer): Html => {
    const at = to("/email-servers", { team: team_id, server: id });
    return html`<tr data-server-id="${id}"><th scope="row" class="where"><a href="${at}"><bdi>${name}</bdi></a></th><td class="where"><bdi>${host}:${port}</bdi></td><td class="where"><bdi>${from}</bdi></td><td><form method="post" action="${at}"><button class="button" name="action" value="test" aria-label="${s.testOf({ name })}">${s.test()}</button></form></td></tr>`;
  };
  return html`<table class="lines"><caption class="sr">${s.caption({ team })}</caption><thead><tr><th scope="col">${s.name()}</th><th scope="col">${s.host()}</th><th scope="col">${s.from()}</th><th scope="col">${s.test()}</th></tr></thead><tbody>${servers.map(line)}</tbody></table>`;
}

function serverScreen(
  visit: MemberRequest,
  team_id: string,
  server: EmailServer,
  refused: Refused | null,
): Promise<Response> {
  const { t, to, query } = visit;
  const s = t.server;
  const at = to("/email-servers", { team: team_id, server: server.id });
  const list = to("/email-servers", { team: team_id });
  if (query.get("confirm") === "delete") {
    const title = s.deleteTitle({ name: server.name });
    const content = html`<div class="question"><h1>${title}</h1><p>${s.deleteHelp()}</p><form method="post" action="${at}"><p class="actions"><button class="button danger-fill" name="action" value="delete">${s.delete()}</button><a class="button" href="${at}">${t.bulk.cancel()}</a></p></form></div>`;
    return page(visit, { title, content });
  }
  const title = s.editTitle({ name: server.name });
  const draft = refused?.draft ?? { ...server, port: String(server.port) };
  const failed =
    refused?.tested && html`<p class="error" role="alert">${s.testFailed({ message: refused.fault.message })}</p>`;
  const form = serverForm(visit, {
    action: at,
    draft,
    fault: refused && !refused.tested ? refused.fault : null,
    stored: server,
  });
  const remove = to("/email-servers", { team: team_id, server: server.id, confirm: "delete" });
  const content = html`<article class="item"><div class="item-bar"><a class="button quiet" href="${list}">${icon("back")}${s.back()}</a></div><header class="item-head"><h1>${title}</h1>${failed}<div class="acts"><form method="post" action="${at}"><button class="button" name="action" value="test">${s.test()}</button></form><a class="button danger" href="${remove}">${s.delete()}</a></div></header><section>${form}</section></article>`;
  return page(visit, { title, content, status: refused?.fault.status ?? 200 });
}

/** Adds, changes, tests or removes a server. */
export async function serversAct(visit: MemberRequest): Promise<Response> {
  const { to, settings, query, exchange } = visit;
  const posts = await posted(exchange.request);
  const team_id = teamIdOf(visit);
  const params = { team_id };
  const id = query.get("server");
  const list = to("/email-servers", { team: team_id });
  const at = to("/email-servers", { team: team_id, server: id });
  const done = (where: string, say: string): Response => redirect(settings, where, noticeCookie(visit, say));
  const action = posts.get("action");
  const isTest = action === "test";
  try {
    if (id !== null && isTest) {
      await visit.call("testServer", { params, body: { id } });
      return done(at, "serverTested");
    }
    if (id !== null && action === "delete") {
      await visit.call("deleteServer", { params, body: { id } });
      return done(list, "serverDeleted");
    }
    const { password, ...rest } = inputOf(posts);
    if (id === null) {
      await visit.call("createServer", { params, body: { ...rest, password: password ?? "" } });
      return done(list, "serverSaved");
    }
    const patch = { ...rest, ...(password !== undefined && { password }) };
    await visit.call("updateServer", { params, body: { id, patch } });
    return done(at, "serverSaved");
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "invalid_parameter") throw error;
    const draft = { ...inputOf(posts), port: posts.get("port") ?? "" };
    return serversScreen(visit, isTest ? { fault: error, tested: true } : { fault: error, draft });
  }
}
