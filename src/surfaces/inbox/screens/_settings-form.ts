import { type Html, html } from "../../../lib/html.ts";
import type { HostForm } from "../../../model/forms.ts";
import { control, type Shown } from "../settings/controls.ts";
import { type Fold, foldOf } from "../settings/folds.ts";
import { defaultOf, storedOf } from "../settings/leaves.ts";
import type { MemberRequest } from "../visit.ts";

/** The controls of a page of settings. A part that is all as it was at first is folded; one with a fault never is. */
export function settingControls(visit: MemberRequest, form: HostForm, shown: readonly Shown[]): Html {
  const folded = new Map<Fold, Shown[]>();
  for (const one of shown) {
    const fold = foldOf(one.leaf.path);
    if (fold !== null) folded.set(fold, [...(folded.get(fold) ?? []), one]);
  }
  const plain = shown.filter(({ leaf }) => foldOf(leaf.path) === null);
  return html`${plain.map((one) => control(visit, one))}${[...folded].map(([fold, all]) => part(visit, form, fold, all))}`;
}

function part(visit: MemberRequest, form: HostForm, fold: Fold, all: readonly Shown[]): Html {
  const isSet = ({ leaf }: Shown): boolean => JSON.stringify(storedOf(form, leaf)) !== JSON.stringify(defaultOf(leaf));
  const isOpen = all.some((one) => one.fault !== null || isSet(one));
  return html`<details class="fold"${isOpen && html` open`}><summary>${visit.t.fold[fold]()}</summary><div class="folded">${all.map((one) => control(visit, one))}</div></details>`;
}

/** Saves or drops what was changed. It stays in sight; the script says how many settings were changed. */
export const saveBar = ({ t }: MemberRequest, here: string): Html =>
  html`<p class="actions save-bar"><button class="button primary">${t.settings.save()}</button><a class="button quiet" href="${here}">${t.settings.discard()}</a><span class="muted" role="status" data-changes="${t.settings.unsaved({ n: "{n}" })}" hidden></span></p>`;
