import { z } from "zod";
import { block, flag, type Leaf, list, nullable, number, text } from "../lib/leaves.ts";
import { isPlain } from "../lib/merge.ts";
import { Email } from "../lib/wire.ts";
import { MAX_RECIPIENTS, tagged } from "./form-leaves.ts";
import { checkTypes, valueFault } from "./rules.ts";

const MAX_RULES = 50;
const MAX_CONDITIONS = 20;
const MAX_WEBHOOKS = 100;

/** The kinds of a condition: every validation check, and `exists`. */
export const conditionTypes = [...checkTypes, "exists"] as const;

const Condition = z
  .strictObject({
    /** The field's name. */
    field: z.string().min(1).max(200),
    type: z.enum(conditionTypes).describe("A check of validation, or `exists`: the field is there and not empty."),
    /** The value to compare with, for kinds that need one. */
    value: z.string().max(5_000).default(""),
    /** True turns the condition around. */
    negate: z.boolean().default(false),
  })
  .superRefine(({ type, value }, context) => {
    const fault = valueFault(type === "exists" ? "required" : type, value);
    if (fault) context.addIssue({ code: "custom", path: ["value"], message: fault });
  });
/** A condition on the values of one field. */
export type Condition = z.output<typeof Condition>;

const Conditions = z.array(Condition).max(MAX_CONDITIONS);

const If = z
  .strictObject({
    all: Conditions.optional().describe("All conditions must be true. An empty list always matches."),
    any: Conditions.optional().describe("At least one condition must be true."),
  })
  .refine(({ all, any }) => (all === undefined) !== (any === undefined), "must have `all` or `any`, and not both");

const Addresses = z.array(Email).max(MAX_RECIPIENTS);

/** Destinations of a submission. */
export const Target = z.strictObject({
  recipients: Addresses.optional().describe("Addresses among the form's recipients. Default: all of them."),
  cc: Addresses.optional().describe("Recipients that get a copy and are visible to the others."),
  bcc: Addresses.optional().describe("Recipients that get a copy without the others seeing it."),
  webhooks: z
    .array(z.string().min(1).max(64))
    .max(MAX_WEBHOOKS)
    .optional()
    .describe("Ids of the form's webhooks. Default: all of them."),
  subject: tagged.subject.min(1).optional().describe("Subject of the email; tags allowed, such as `{{name}}`."),
  none: z.literal(true).optional().describe("Sends no email and calls no webhook, whatever else is set."),
});
export type Target = z.output<typeof Target>;

export const RoutingRule = z.strictObject({
  if: If.describe("The conditions of the rule."),
  to: Target.describe("Where a matching submission goes."),
  stop: z.boolean().default(false).describe("If the rule matches, no further rule is checked."),
});
export type RoutingRule = z.output<typeof RoutingRule>;
/** As a request sends it. */
export type RoutingRuleInput = z.input<typeof RoutingRule>;

/** The conditions of a rule, in order. */
export const conditionsIn = ({ if: { all, any } }: RoutingRule): readonly Condition[] => all ?? any ?? [];

/** Rules of a form for the destinations of its submissions. */
export const Routing = z
  .object({
    rules: z
      .array(RoutingRule)
      .max(MAX_RULES)
      .describe("Checked in order. The destinations of all matching rules are combined, until one has `stop`."),
    otherwise: Target.nullable().describe("Where submissions go that no rule matches; null for everywhere."),
  })
  .describe("Chooses recipients and webhooks by the values of a submission.");
export type Routing = z.output<typeof Routing>;

export const defaultRouting: Routing = { rules: [], otherwise: null };

/** The routing, or a part of it, with the webhooks of its targets called otherwise. */
export function withWebhooks(routing: unknown, called: (webhook: string) => string): unknown {
  if (Array.isArray(routing)) return routing.map((entry) => withWebhooks(entry, called));
  if (!isPlain(routing)) return routing;
  const members = Object.entries(routing).map(([name, value]) => [
    name,
    name === "webhooks" ? (value as string[]).map(called) : withWebhooks(value, called),
  ]);
  return Object.fromEntries(members);
}

/** True if submissions of the form may go elsewhere than to everybody. */
export const routes = ({ rules, otherwise }: Sent): boolean => (rules?.length ?? 0) > 0 || (otherwise ?? null) !== null;
interface Sent {
  readonly rules?: readonly unknown[] | undefined;
  readonly otherwise?: object | null | undefined;
}

/** The destinations of one submission, decided when it was posted. */
export const RoutedTo = z.object({
  /** The rules that matched, counted from 1. */
  rules: z.array(z.int().min(1)),
  /** True if no rule matched and `otherwise` decided. */
  otherwise: z.boolean(),
  /** The addresses in the email's To. */
  recipients: z.array(z.string()),
  /** The addresses in its Cc. */
  cc: z.array(z.string()),
  /** Further addresses that got it. */
  bcc: z.array(z.string()),
  /** The webhooks, by id. */
  webhooks: z.array(z.string()),
  subject: z.string().nullable().describe("The subject chosen by the rules; null for the form's."),
});
export type RoutedTo = z.output<typeof RoutedTo>;

/** Reads it from a stored submission. */
export const routedLeaf: Leaf<RoutedTo> = block<RoutedTo>({
  rules: list(number()),
  otherwise: flag(false),
  recipients: list(text()),
  cc: list(text()),
  bcc: list(text()),
  webhooks: list(text()),
  subject: nullable(text()),
});
