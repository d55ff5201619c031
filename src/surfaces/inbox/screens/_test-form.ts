import type { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import type { HostForm } from "../../../model/forms.ts";
import { faultText } from "../faults.ts";
import type { Section } from "../settings/leaves.ts";
import type { MemberRequest } from "../visit.ts";
import { labelled } from "./_labelled.ts";

/** The sections whose email can be tried. */
export const tests = ["notification", "reply"] as const satisfies readonly Section[];
export type TestSection = (typeof tests)[number];

/** A test that was asked for. */
export interface Tested {
  readonly to: string;
  readonly fault: ApiError | null;
}

/** Sends the section's email as a test; a form of its own, for it sends what is saved. */
export function testForm(visit: MemberRequest, form: HostForm, section: Section, tested: Tested | null): Html | null {
  const { t, to } = visit;
  if (!tests.some((one) => one === section)) return null;
  const [first = ""] = section === "notification" ? form.self_email_notification.recipients : [];
  const message = tested?.fault && t.testing.failed({ message: faultText(visit, tested.fault) });
  const control = labelled({ id: "to", label: t.testing.to(), fault: message }, (attributes) => {
    const value = tested?.to ?? first;
    return html`<input ${attributes} type="email" required maxlength="320" value="${value}" autocomplete="email" spellcheck="false" dir="ltr">`;
  });
  return html`<form class="test" method="post" action="${to(`/f/${form.id}/settings/${section}/test`)}"><h2>${t.testing.title()}</h2><p class="muted">${t.testing.help()}</p>${control}<p class="actions"><button class="button">${t.testing.send()}</button></p></form>`;
}
