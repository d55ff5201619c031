import { z } from "zod";
import { plainName } from "../lib/field-name.ts";
import { block, type Leaf, oneOf, optional } from "../lib/leaves.ts";

/** Destinations of a value. The management API, in process and the inbox don't count. */
export const sinks = ["email", "webhook", "export", "agents"] as const;
export type Sink = (typeof sinks)[number];

const Stored = z.enum(["plain", "encrypt", "hash", "drop"]);
const Shown = z.enum(["show", "mask", "omit"]);

/** The policy of one field: how it is stored, and what each destination gets. */
export const FieldPolicy = z
  .object({
    store: Stored.describe(
      "`encrypt` needs the option `encryption`; `hash` stores an HMAC-SHA-256; `drop` stores nothing.",
    ),
    email: Shown.describe("In emails. Default of this and the next three: `omit` if `store` is not `plain`."),
    webhook: Shown.describe("In webhooks."),
    export: Shown.describe("In exports and the legacy API."),
    agents: Shown.describe("For agents, over MCP."),
  })
  .meta({ id: "FieldPolicy" });
export type FieldPolicy = z.infer<typeof FieldPolicy>;
export type FieldPolicies = Readonly<Record<string, FieldPolicy>>;

/** Some of a policy's members, as a patch sends them. */
export type FieldPolicyPatch = { readonly [K in keyof FieldPolicy]?: FieldPolicy[K] | undefined };

/**
 * Applies a patch to the policy of a field. A new way to store resets the members that are not sent to the defaults of that
 * way. Members that only a later version knows stay.
 */
export function patchedPolicy(before: FieldPolicy | undefined, sent: FieldPolicyPatch): FieldPolicy {
  const store = sent.store ?? before?.store ?? "plain";
  const kept = before?.store === store ? before : undefined;
  const shown = (sink: Sink) => sent[sink] ?? kept?.[sink] ?? (store === "plain" ? "show" : "omit");
  return {
    ...before,
    store,
    email: shown("email"),
    webhook: shown("webhook"),
    export: shown("export"),
    agents: shown("agents"),
  };
}

const shown = optional(oneOf(Shown.options));
const given = block<FieldPolicyPatch>({
  store: oneOf(Stored.options, "plain"),
  email: shown,
  webhook: shown,
  export: shown,
  agents: shown,
});

/** Reads a policy from its form's row: a destination that it says nothing of has the default of its way to store. */
export const policyLeaf: Leaf<FieldPolicy> = {
  read(stored) {
    const found = given.read(stored);
    const lacks = sinks.some((sink) => found[sink] === undefined);
    return lacks ? patchedPolicy(found as FieldPolicy, found) : (found as FieldPolicy);
  },
};

/** True if a patch changes a field's default treatment. */
export const restricts = (sent: FieldPolicyPatch): boolean =>
  (sent.store ?? "plain") !== "plain" || sinks.some((sink) => (sent[sink] ?? "show") !== "show");

/** True if a destination is not given some of a form's values as they are. */
export const keepsFrom = (policies: FieldPolicies, sink: Sink): boolean =>
  Object.values(policies).some((policy) => policy[sink] !== "show");

/** True if a form treats any field otherwise than by default. */
export const protects = (policies: FieldPolicies): boolean => Object.values(policies).some(restricts);

/** Policies by the plain names of their fields. Forms are cached, so their policies are read by many posts. */
const byPlainName = new WeakMap<FieldPolicies, ReadonlyMap<string, FieldPolicy>>();

/**
 * The policy of a field, null where it has none: that of exactly this name, or of one that `plainName` makes the same. Names are
 * the visitor's, so that `constructor` must be one without a policy.
 */
export function policyOf(policies: FieldPolicies, name: string): FieldPolicy | null {
  if (Object.hasOwn(policies, name) && policies[name]) return policies[name];
  let plain = byPlainName.get(policies);
  if (!plain) {
    plain = new Map(Object.entries(policies).map(([field, policy]) => [plainName(field), policy]));
    byPlainName.set(policies, plain);
  }
  return plain.size === 0 ? null : (plain.get(plainName(name)) ?? null);
}

/** True if a field's values are kept otherwise than as they came. */
export const isProtected = (policies: FieldPolicies, name: string): boolean =>
  (policyOf(policies, name)?.store ?? "plain") !== "plain";

/** The entries of fields whose values are kept as they came: the list itself where the form has no policy. */
export function unprotected<T extends { readonly key: string }>(
  policies: FieldPolicies,
  fields: readonly T[],
): readonly T[] {
  return hasNone(policies) ? fields : fields.filter(({ key }) => !isProtected(policies, key));
}

/** The entries of fields whose values are kept otherwise than as they came. */
export function protectedOf<T extends { readonly key: string }>(
  policies: FieldPolicies,
  fields: readonly T[],
): readonly T[] {
  return hasNone(policies) ? [] : fields.filter(({ key }) => isProtected(policies, key));
}

function hasNone(policies: FieldPolicies): boolean {
  for (const _ in policies) return false;
  return true;
}

const HIDDEN = "••••";
const SHOWN = 4;

/** A value that can be told from others and not be read: its last characters, at most four and a quarter of it. */
export function masked(value: string): string {
  if (value === "") return "";
  const characters = [...value.slice(-64)];
  const count = Math.min(SHOWN, Math.floor(characters.length / 4));
  return HIDDEN + (count === 0 ? "" : characters.slice(-count).join(""));
}
