import { z } from "zod";
import { Timestamp } from "../lib/wire.ts";

export const SubmissionField = z.object({ key: z.string(), value: z.string() });
export type SubmissionField = z.infer<typeof SubmissionField>;

/** A submission as every API answers it. */
export const Submission = z
  .object({
    id: z.string(),
    form_id: z.string(),
    created_at: Timestamp,
    spam: z.boolean(),
    read: z.boolean(),
    ip: z.string().nullable(),
    country: z.string().nullable(),
    user_agent: z.string().nullable(),
    referer: z.string().nullable(),
    fields: z.array(SubmissionField),
    attachments: z.array(z.object({ key: z.string(), url: z.string(), mime_type: z.string() })),
  })
  .meta({ id: "Submission" });
export type Submission = z.infer<typeof Submission>;

/** What one check of the spam pipeline said. */
export interface Verdict {
  check: string;
  spam: boolean;
  score?: number;
  reason?: string;
}

export interface StoredFile {
  key: string;
  file_id: string;
  name: string;
  mime_type: string;
  size: number;
}

/** A submission as it is stored. */
export interface SubmissionRecord {
  form_id: string;
  team_id: string;
  created_at: string;
  updated_at: string;
  spam: boolean;
  read: boolean;
  ip: string | null;
  country: string | null;
  user_agent: string | null;
  referer: string | null;
  fields: SubmissionField[];
  attachments: StoredFile[];
  attached: boolean;
  verdict: Verdict[];
  over_quota: boolean;
  /** Special fields that its emails need, never shown as fields. */
  subject: string | null;
  reply_to: string | null;
}
