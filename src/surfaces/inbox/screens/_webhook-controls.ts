import { hasOwnAddress } from "../../../model/destinations.ts";
import { presetOf } from "../../../model/presets.ts";
import type { Kind } from "../destinations.ts";
import type { MemberRequest } from "../visit.ts";

/** A control of a webhook's form. */
export interface Control {
  readonly name: string;
  readonly label: string;
  readonly help?: string;
  readonly look: "text" | "secret" | "area" | "tick" | "choice";
  readonly required?: boolean;
  readonly example?: string;
  /** The values of a choice, with their words. */
  readonly options?: readonly (readonly [value: string, text: string])[];
}

/** The prefix of a control with the name of a field, which could otherwise be that of another control. */
export const FIELD = "field_";

interface Asked {
  readonly kind: Kind;
  /** True for a webhook that is there, whose secrets are kept. */
  readonly stored: boolean;
  /** True if the URL is masked. */
  readonly masked: boolean;
  /** True if it has a key file of its own. */
  readonly keyed: boolean;
}

/** The controls of one kind, in order, without the description that every kind has. */
export function controlsOf(visit: MemberRequest, { kind, stored, masked, keyed }: Asked): Control[] {
  const w = visit.t.webhook;
  const a = visit.t.ask;
  const preset = presetOf(kind);
  if (preset)
    return [
      ...preset.asks.map(
        ({ name, example, secret }): Control => ({
          name,
          label: a[name](),
          look: secret ? "secret" : "text",
          required: true,
          example,
        }),
      ),
      ...preset.fields.map(
        (name): Control => ({ name: FIELD + name, label: w.fieldOf({ name }), help: w.fieldHelp(), look: "text" }),
      ),
    ];
  const address = (label: string, help: string): Control => ({
    name: "url",
    label,
    help: masked ? w.urlKept() : help,
    look: "text",
    required: true,
  });
  const secret = (name: string, label: string): Control => ({
    name,
    label,
    look: "secret",
    required: !stored,
    ...(stored && { help: w.secretKept() }),
  });
  const email: Control = { name: "email_field", label: w.emailField(), look: "text", example: "email" };
  if (kind === "telegram" && !stored)
    return [secret("token", a.token()), { name: "chat", label: a.chat(), look: "text", required: true }];
  if (kind === "google_sheets") return sheetControls(visit, keyed, address(w.spreadsheet(), w.spreadsheetHelp()));
  if (kind === "airtable") return [address(w.table(), w.tableHelp()), secret("token", a.token())];
  if (kind === "notion") return [address(w.database(), w.databaseHelp()), secret("token", a.token())];
  if (kind === "mailchimp")
    return [
      secret("api_key", a.key()),
      { name: "list_id", label: w.listId(), look: "text", required: true, example: "a1b2c3d4e5" },
      email,
      { name: "merge_fields", label: w.mergeFields(), help: w.mergeHelp({ example: "FNAME = name" }), look: "area" },
      { name: "tags", label: w.tags(), help: w.tagsHelp(), look: "text" },
      { name: "double_opt_in", label: w.optIn(), look: "tick" },
    ];
  if (kind === "hubspot")
    return [
      secret("token", a.token()),
      email,
      { name: "properties", label: w.properties(), help: w.mergeHelp({ example: "firstname = name" }), look: "area" },
    ];
  if (kind === "http") return httpControls(visit, address(w.url(), w.urlHelp()));
  if (hasOwnAddress(kind)) return [];
  const formats: Control = {
    name: "format",
    label: w.format(),
    help: w.formatHelp(),
    look: "choice",
    options: [
      ["standard", w.formatStandard()],
      ["flat", w.formatFlat()],
    ],
  };
  const isProgram = kind === "standard" || kind === "flat";
  return [address(w.url(), w.urlHelp()), ...(isProgram ? [formats] : [])];
}

function sheetControls({ t, core }: MemberRequest, keyed: boolean, address: Control): Control[] {
  const w = t.webhook;
  const shared = core.options.integrations.google.credentials !== null;
  return [
    address,
    { name: "sheet", label: w.sheet(), help: w.sheetHelp(), look: "text" },
    {
      name: "credentials",
      label: w.credentials(),
      help: keyed ? w.secretKept() : shared ? w.credentialsShared() : w.credentialsHelp(),
      look: "area",
      required: !keyed && !shared,
    },
  ];
}

function httpControls({ t }: MemberRequest, address: Control): Control[] {
  const w = t.webhook;
  const same = (values: readonly string[]) => values.map((value) => [value, value] as const);
  return [
    address,
    { name: "method", label: w.method(), look: "choice", options: same(["POST", "PUT", "PATCH"]) },
    { name: "headers", label: w.headers(), help: w.headersHelp({ example: "Authorization: Bearer …" }), look: "area" },
    {
      name: "content_type",
      label: w.contentType(),
      look: "choice",
      options: same(["application/json", "application/x-www-form-urlencoded", "text/plain"]),
    },
    { name: "body", label: w.body(), look: "area", required: true },
    { name: "success", label: w.success(), help: w.successHelp({ example: "2xx, 409" }), look: "text" },
  ];
}
