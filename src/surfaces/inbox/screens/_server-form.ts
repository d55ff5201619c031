import type { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import type { EmailServer } from "../../../model/email-servers.ts";
import { faultText } from "../faults.ts";
import type { MemberRequest } from "../visit.ts";
import { labelled } from "./_labelled.ts";

/** An email server as its form shows it. */
export interface ServerDraft {
  readonly name: string;
  readonly host: string;
  readonly port: string;
  readonly secure: boolean;
  readonly username: string;
  readonly from: string;
}

const SHOWN = 2_000;

/** The values of a posted form. A password that was left empty stays as it is stored, unless its removal was asked for. */
export function inputOf(body: URLSearchParams) {
  const text = (name: string): string => (body.get(name) ?? "").trim().slice(0, SHOWN);
  const password = body.get("password") ?? "";
  const forget = body.get("forget") === "on";
  const port = Number(text("port"));
  return {
    name: text("name"),
    host: text("host"),
    port: Number.isInteger(port) ? port : 0,
    secure: body.get("secure") === "on",
    username: forget ? "" : text("username"),
    password: forget ? "" : password === "" ? undefined : password,
    from: text("from"),
  };
}

interface FormOptions {
  readonly action: string;
  readonly draft: ServerDraft;
  readonly fault: ApiError | null;
  /** The server that the form changes; null for a new one. */
  readonly stored: EmailServer | null;
}

/** The controls of an email server, each fault beside its control. A password is never sent back. */
export function serverForm(visit: MemberRequest, { action, draft, fault, stored }: FormOptions): Html {
  const { t } = visit;
  const s = t.server;
  const at = fault?.param ?? (fault ? "name" : "");
  const said = (name: string): string | null => (fault && at === name ? faultText(visit, fault) : null);
  const line = (name: keyof ServerDraft & ("name" | "host" | "username" | "from"), help?: string, more = html``) =>
    labelled({ id: name, label: s[name](), ...(help !== undefined && { help }), fault: said(name) }, (attributes) => {
      const ltr = name === "name" || name === "from" ? "auto" : "ltr";
      return html`<input ${attributes} value="${draft[name]}" autocomplete="off" spellcheck="false" dir="${ltr}" maxlength="300"${more}>`;
    });
  const required = html` required`;
  const kept = stored?.password_set === true;
  return html`<form method="post" action="${action}">${line("name", undefined, required)}${line("host", s.hostHelp(), required)}${labelled(
    { id: "port", label: s.port(), help: s.portHelp(), fault: said("port") },
    (attributes) =>
      html`<input ${attributes} class="short" inputmode="numeric" required value="${draft.port}" autocomplete="off" dir="ltr" maxlength="5">`,
  )}<div class="field"><label class="tick" for="secure"><input type="checkbox" id="secure" name="secure" value="on"${draft.secure && html` checked`} aria-describedby="secure-help"><span>${s.secure()}</span></label>${
    said("secure") !== null && html`<p class="error" role="alert">${said("secure")}</p>`
  }<p class="muted" id="secure-help">${s.secureHelp()}</p></div>${line("username", s.usernameHelp())}${labelled(
    { id: "password", label: s.password(), help: kept ? s.passwordKept() : s.passwordHelp(), fault: said("password") },
    (attributes) =>
      html`<input ${attributes} type="password" value="" autocomplete="new-password" spellcheck="false" dir="ltr" maxlength="1024">`,
  )}${
    kept &&
    html`<div class="field"><label class="tick"><input type="checkbox" name="forget" value="on"><span>${s.noPassword()}</span></label></div>`
  }${line("from", s.fromHelp(), required)}<p class="actions"><button class="button primary" name="action" value="save">${s.create()}</button></p></form>`;
}
