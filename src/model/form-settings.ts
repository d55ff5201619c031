import { z } from "zod";
import { parseInput, strict } from "../lib/input.ts";
import { block, dictionary, type Leaf as StoredLeaf } from "../lib/leaves.ts";
import { mergeLeaves } from "../lib/merge.ts";
import { dialectNames } from "./dialects.ts";
import { collects, Digest, defaultDigest } from "./digest.ts";
import { FieldPolicy, type FieldPolicyPatch, patchedPolicy, policyLeaf, restricts } from "./field-policy.ts";
import { leaves, line, Origins } from "./form-leaves.ts";
import { ReplyAttachments } from "./images.ts";
import { Availability, defaultAvailability, defaultUnique, mergedAvailability, Unique } from "./intake-settings.ts";
import { type Leaf, leaf, type PatchOf, patchOf } from "./leaf.ts";
import { leafOf } from "./leaf-of.ts";
import { defaultRouting, Routing, routes } from "./routing.ts";
import { SourceSetting } from "./source.ts";
import { defaultSpamSettings, SpamSettings } from "./spam-settings.ts";
import {
  DoubleOptIn,
  Drafts,
  defaultDoubleOptIn,
  defaultDrafts,
  defaultEdit,
  Edit,
  Statistics,
} from "./visitor-settings.ts";

/** Fields that have room in a line. */
const MAX_COLUMNS = 4;
const MAX_LABELS = 500;
const FieldName = z.string().min(1).max(200);

/** The form of a key. */
export const KEY = /^[a-z][a-z0-9-]{0,62}$/;
/** The form of an alias. */
export const ALIAS = /^[A-Za-z0-9._@+-]{1,254}$/;

/**
 * Every leaf of a form's settings, in the order of the document. A new leaf is one entry here: validation, both ways to write it,
 * the record and its defaults, the plan's gate, OpenAPI and the client derive from it.
 */
export const settingLeaves = {
  key: leaf({
    schema: z
      .string()
      .regex(KEY, "must begin with a to z and have at most 63 of a to z, digits and dashes")
      .nullable()
      .describe("Its name in code and URLs, unique in its team; null for none."),
    default: null,
  }),
  aliases: leaf({
    schema: z
      .array(z.string().regex(ALIAS, "must have 1 to 254 letters, digits or any of . _ @ + -"))
      .max(20)
      .describe("Further names that pages can post to, such as those of another service; unique in the installation."),
    default: [],
    hostOnly: true,
  }),
  dialect: leaf({
    schema: z
      .enum(["native", ...dialectNames])
      .describe("Service whose fields and responses the form uses; `native` for our own."),
    default: "native",
  }),
  language: leaf({
    schema: z
      .string()
      .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/, "must be auto, or a language tag such as de or pt-BR")
      .describe("Language of pages and emails: the tag of a loaded one, or `auto` for the visitor's."),
    default: "auto",
  }),
  allowed_origins: leaf({
    schema: Origins.describe("Web origins that may post, such as https://example.com; an empty list accepts all."),
    default: [],
  }),
  require_token: leaf({
    schema: leaves.spam.host.require_token.describe("Posts without a render token are spam."),
    default: false,
  }),
  from_email: leaf({
    schema: leaves.reply.host.from_email.describe("Sender address of auto-responses; empty for the service's own."),
    default: "",
    plan: { feature: "custom_sender", switchesOn: (sent) => sent !== "" },
  }),
  spam: leaf({
    schema: SpamSettings,
    default: defaultSpamSettings,
    plan: { feature: "spam_learning", switchesOn: (sent) => sent.learn === true },
  }),
  routing: leaf({
    schema: Routing,
    default: defaultRouting,
    plan: { feature: "routing", switchesOn: routes },
    // A target is one value: merging would add the members of the one before.
    merge: (before, sent) => ({
      ...before,
      rules: sent.rules ?? before.rules,
      otherwise: sent.otherwise === undefined ? before.otherwise : sent.otherwise,
    }),
  }),
  digest: leaf({
    schema: Digest,
    default: defaultDigest,
    plan: { feature: "digest", switchesOn: collects },
  }),
  double_opt_in: leaf({
    schema: DoubleOptIn,
    default: defaultDoubleOptIn,
    plan: { feature: "double_opt_in", switchesOn: ({ enabled }) => enabled === true },
  }),
  drafts: leaf({
    schema: Drafts,
    default: defaultDrafts,
    plan: { feature: "drafts", switchesOn: ({ enabled }) => enabled === true },
  }),
  edit: leaf({ schema: Edit, default: defaultEdit }),
  reply_attachments: leaf({ schema: ReplyAttachments, default: [] }),
  statistics: leaf({ schema: Statistics, default: { enabled: false } }),
  availability: leaf({ schema: Availability, default: defaultAvailability, merge: mergedAvailability }),
  unique: leaf({ schema: Unique, default: defaultUnique }),
  source: leaf({ schema: SourceSetting, default: { enabled: false } }),
  labels: leaf({
    schema: z
      .record(FieldName, line(128).min(1))
      .refine((labels) => Object.keys(labels).length <= MAX_LABELS, `must have at most ${MAX_LABELS} entries`)
      .describe("Names of fields on pages and in emails; never in exports and webhooks."),
    default: {},
  }),
  columns: leaf({
    schema: z.array(FieldName).max(MAX_COLUMNS).describe("Fields of the inbox's lists: title, then preview."),
    default: [],
  }),
  fields: leaf({
    schema: z
      .record(FieldName, FieldPolicy)
      .refine((fields) => Object.keys(fields).length <= MAX_LABELS, `must have at most ${MAX_LABELS} entries`)
      .describe("Rules for storing and showing values, by field."),
    default: {},
    stored: dictionary(policyLeaf),
    plan: {
      feature: "field_policy",
      switchesOn: (sent) => Object.values(sent).some((policy) => policy !== null && restricts(policy)),
    },
    merge: (before, sent) => {
      const entries = Object.entries(sent as Record<string, FieldPolicyPatch | null>);
      return {
        ...before,
        ...Object.fromEntries(entries.map(([name, policy]) => [name, policy && patchedPolicy(before[name], policy)])),
      };
    },
  }),
};

type Leaves = typeof settingLeaves;
export type SettingName = keyof Leaves;
type HostOnly = { [K in SettingName]: Leaves[K] extends { readonly hostOnly: true } ? K : never }[SettingName];
// Over `keyof Leaves` and `Pick` themselves, so that the comments of the leaves are those of their members.
type Whole = { [K in keyof Leaves]: Leaves[K]["schema"] };
type Patch<K extends SettingName> = z.ZodObject<
  { [N in keyof Pick<Leaves, K>]: z.ZodOptional<PatchOf<Leaves[N]["schema"]>> },
  z.core.$strict
>;

const entries = Object.entries(settingLeaves) as [SettingName, Leaf][];
const each = <T>(of: (entry: Leaf, name: SettingName) => T, among = entries): Record<string, T> =>
  Object.fromEntries(among.map(([name, entry]) => [name, of(entry, name)]));
const [hosts, everybodys] = [true, false].map((own) =>
  entries.filter(([, entry]) => (entry.hostOnly ?? false) === own),
);

/** The settings of a form, as their address and `backend.forms` in process return them. */
export const FormSettings = z.object(each(({ schema }) => schema) as Whole).meta({ id: "FormSettings" });
export type FormSettings = z.infer<typeof FormSettings>;

/** A change in process: any leaves. Objects and records are merged, lists are replaced. */
export const HostFormSettingsPatch = strict(
  each(({ schema }) => patchOf(schema)),
).partial() as unknown as Patch<SettingName>;
export type HostFormSettingsPatch = z.input<typeof HostFormSettingsPatch>;

/** The body of a change over HTTP: all leaves but those of the host. */
export const FormSettingsPatch = strict(
  each(({ schema }) => patchOf(schema), everybodys),
  each(
    (_, name) => `is read-only here; set it in process, with \`backend.forms.update(id, { settings: { ${name} } })\``,
    hosts,
  ),
)
  .partial()
  .meta({ id: "FormSettingsPatch" }) as unknown as Patch<Exclude<SettingName, HostOnly>>;

/** The default of every leaf. */
export const defaultSettings = (): FormSettings =>
  structuredClone(each((entry) => entry.default)) as unknown as FormSettings;

/** The leaves in the record's `settings`. The other settings have members of their own in the record, because they are older. */
export type StoredSettings = Omit<FormSettings, "allowed_origins" | "require_token" | "from_email">;

const elsewhere: readonly string[] = ["allowed_origins", "require_token", "from_email"] satisfies SettingName[];

/** Reads the settings of a form from the store, by each leaf's schema and default. */
export const settingsLeaf = block(
  each(
    (entry) => entry.stored ?? leafOf(entry.schema, entry.default),
    entries.filter(([name]) => !elsewhere.includes(name)),
  ),
) as StoredLeaf<unknown> as StoredLeaf<StoredSettings>;

/**
 * Merges a checked patch into `before`. Checks merged records, because a limit may apply to old and new entries together. The
 * members of objects are checked where they are sent; a later version's stay.
 * Throws `invalid_parameter` on the leaf; `at` is the prefix of its path.
 */
export function mergeSettings(before: FormSettings, patch: HostFormSettingsPatch, at: string): FormSettings {
  const merged: Record<string, unknown> = mergeLeaves(before, patch);
  for (const [name, { schema, merge }] of entries) {
    if (patch[name] === undefined) continue;
    if (merge) merged[name] = merge(before[name], patch[name] as never);
    if (!(schema instanceof z.ZodRecord)) continue;
    merged[name] = withoutNulls(merged[name] as object);
    parseInput(schema, merged[name], at + name);
  }
  return merged as FormSettings;
}

const withoutNulls = (record: object): object =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
