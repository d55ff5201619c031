/** The limits of a team: numbers (null = none; sizes in bytes), and booleans for features. */
export interface Plan {
  /** Forms of the team. */
  readonly forms: number | null;
  /** Addresses that one form notifies. */
  readonly recipients: number | null;
  /** 1 in `unlimited`. */
  readonly webhooks_per_form: number | null;
  /** In UTC months. Further submissions are stored, and `overage` says what else happens. */
  readonly submissions_per_month: number | null;
  /** Beyond the month, `skip` neither mails nor delivers; `deliver` does, and `usage` counts them apart. `skip` by default. */
  readonly overage: "skip" | "deliver";
  /** Days for which finished emails and webhooks stay in the log. 540 in `unlimited` and `free`. */
  readonly log_days: number;
  /** The longest `keep_for` that a form may have, and that of a new one. */
  readonly retention_days: number | null;
  /** Days for which the actions of people in the inbox are kept, 0 for none. 365 in `unlimited`. */
  readonly audit_days: number | null;
  /** Days for which deleted submissions stay in the trash; with 0 they are removed at once. 30 in `unlimited` and `free`. */
  readonly trash_days: number;
  /** Bytes of one file. 10 MB in `unlimited`. */
  readonly max_file_size: number | null;
  /** Bytes of all files of a post. 25 MB in `unlimited`. */
  readonly max_total_file_size: number | null;
  /** Files of a post. 10 in `unlimited`. */
  readonly max_files: number | null;
  /** Logos uploaded over the API. */
  readonly images: boolean;
  /** Files that visitors upload. */
  readonly files: boolean;
  /** Custom HTML in emails. */
  readonly custom_templates: boolean;
  /** Custom senders and email servers. */
  readonly custom_sender: boolean;
  /** Replies to those who submit. */
  readonly auto_response: boolean;
  /** Webhooks at all. */
  readonly webhooks: boolean;
  /** Captchas. */
  readonly captcha: boolean;
  /** Custom success pages. */
  readonly redirect: boolean;
  /** Emails and webhooks selected by the content of the submission. */
  readonly routing: boolean;
  /** Notifications collected into one email. */
  readonly digest: boolean;
  /** Posts that wait until the address is confirmed. */
  readonly double_opt_in: boolean;
  /** Answers to submissions from the inbox and the API. */
  readonly replies: boolean;
  /** Spam that is learned from the marks of the team's people. */
  readonly spam_learning: boolean;
  /** Half-filled forms that are kept. */
  readonly drafts: boolean;
  /** Rules for storing, showing and forwarding each field. */
  readonly field_policy: boolean;
}

const MB = 1024 * 1024;
/** Days for which finished emails and webhooks are kept, where a plan says nothing. */
export const LOG_DAYS = 540;

const unlimited: Plan = {
  forms: null,
  recipients: null,
  webhooks_per_form: 1,
  submissions_per_month: null,
  overage: "skip",
  log_days: LOG_DAYS,
  retention_days: null,
  audit_days: 365,
  trash_days: 30,
  max_file_size: 10 * MB,
  max_total_file_size: 25 * MB,
  max_files: 10,
  images: true,
  files: true,
  custom_templates: true,
  custom_sender: true,
  auto_response: true,
  webhooks: true,
  captcha: true,
  redirect: true,
  routing: true,
  digest: true,
  double_opt_in: true,
  replies: true,
  spam_learning: true,
  drafts: true,
  field_policy: true,
};

const free: Plan = {
  ...unlimited,
  forms: 3,
  recipients: 1,
  submissions_per_month: 100,
  retention_days: 30,
  audit_days: 30,
  images: false,
  files: false,
  custom_templates: false,
  custom_sender: false,
  routing: false,
  digest: false,
  double_opt_in: false,
  replies: false,
  spam_learning: false,
  drafts: false,
  field_policy: false,
};

/** The built-in plans and the host's. A host's plan replaces one of the same name; its missing members are those of `unlimited`. */
export function mergePlans(host: Readonly<Record<string, Partial<Plan>>> = {}): ReadonlyMap<string, Plan> {
  const plans = new Map<string, Plan>([
    ["free", free],
    ["unlimited", unlimited],
  ]);
  for (const [name, plan] of Object.entries(host)) {
    // JavaScript may have a member that is undefined, which would take the place of the default.
    const given = Object.fromEntries(Object.entries(plan).filter(([, value]) => value !== undefined));
    plans.set(name, { ...unlimited, ...given });
  }
  return plans;
}
