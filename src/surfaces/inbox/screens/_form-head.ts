import { type Html, html } from "../../../lib/html.ts";
import type { HostForm } from "../../../model/forms.ts";
import { icon } from "../layout/icons.ts";
import { type Tab, tabs } from "../layout/tabs.ts";
import type { MemberRequest } from "../visit.ts";

/** The active page of a form. */
export type FormTab =
  | "inbox"
  | "spam"
  | "all"
  | "pending"
  | "trash"
  | "stats"
  | "deliveries"
  | "webhooks"
  | "settings"
  | "install";

/** The name of a form and links to its pages. `current` is null on a page that is none of them. */
export function formHead(visit: MemberRequest, form: HostForm, current: FormTab | null): Html {
  const { t, to, has, shows } = visit;
  const at = `/f/${form.id}`;
  const tab = (name: FormTab, text: string, href: string): Tab => ({ text, href: to(href), current: name === current });
  const all: Tab[] = [
    tab("inbox", t.list.inbox(), at),
    tab("spam", t.list.spam(), `${at}?status=spam`),
    ...(has("submissions:write") || current === "trash" ? [tab("trash", t.work.trash(), `${at}?status=trash`)] : []),
    ...(form.settings.double_opt_in.enabled || current === "pending"
      ? [tab("pending", t.pending.tab(), `${at}?status=pending`)]
      : []),
    ...(has("forms:read", "submissions:read") && shows("deliveries")
      ? [tab("deliveries", t.delivery.tab(), `${at}/deliveries`)]
      : []),
    ...(has("forms:read") && shows("webhooks") ? [tab("webhooks", t.webhook.tab(), `${at}/webhooks`)] : []),
    ...(has("forms:read", "submissions:read") && shows("stats") ? [tab("stats", t.stats.tab(), `${at}/stats`)] : []),
    ...(has("forms:read") && shows("settings") ? [tab("settings", t.settings.tab(), `${at}/settings`)] : []),
    ...(has("forms:read") && shows("install") ? [tab("install", t.install.tab(), `${at}/install`)] : []),
  ];
  return html`<div class="head"><h1><bdi>${form.name}</bdi>${
    !form.active && html` <span class="pill">${icon("pause")} ${t.forms.paused()}</span>`
  }</h1>${tabs(form.name, all)}</div>${
    form.locked &&
    html`<p class="notice warn" role="status">${icon("warn")} ${t.forms.locked({ reason: form.locked.reason })}</p>`
  }`;
}

/** The form that the path names, and its version as the `etag` of `headers`. Throws `form_not_found`, `form_access_restricted`. */
export const formOf = (visit: MemberRequest, headers: Record<string, string> = {}): Promise<HostForm> =>
  visit.call("retrieveForm", { params: { form_id: visit.params["form_id"] ?? "" }, headers }) as Promise<HostForm>;
