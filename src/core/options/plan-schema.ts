import { z } from "zod";
import type { Plan } from "./plans.ts";

const limit = z.number().int().min(0).nullable();
/** Allowed values of `keep_for`. */
const days = z.number().int().min(1).max(36_500).nullable();
/** A plan of the option `plans`; missing members are those of `unlimited`. */
export const PlanSchema = z
  .strictObject({
    forms: limit,
    recipients: limit,
    webhooks_per_form: limit,
    submissions_per_month: limit,
    overage: z.enum(["skip", "deliver"]),
    log_days: z.number().int().min(1).max(3_650),
    retention_days: days,
    audit_days: z.number().int().min(0).max(36_500).nullable(),
    trash_days: z.number().int().min(0).max(3_650),
    max_file_size: limit,
    max_total_file_size: limit,
    max_files: limit,
    images: z.boolean(),
    files: z.boolean(),
    custom_templates: z.boolean(),
    custom_sender: z.boolean(),
    auto_response: z.boolean(),
    webhooks: z.boolean(),
    captcha: z.boolean(),
    redirect: z.boolean(),
    routing: z.boolean(),
    digest: z.boolean(),
    double_opt_in: z.boolean(),
    replies: z.boolean(),
    spam_learning: z.boolean(),
    drafts: z.boolean(),
    field_policy: z.boolean(),
  } satisfies Record<keyof Plan, z.ZodType>)
  .partial();
