/** What a team may do: numbers are limits (null = none; sizes in bytes), booleans say whether a feature is included. */
export interface Plan {
  /** Forms of the team. */
  readonly forms: number | null;
  /** Addresses that one form notifies. */
  readonly recipients: number | null;
  /** 1 in `unlimited`. */
  readonly webhooks_per_form: number | null;
  /** In UTC months. What goes beyond is stored, but neither mailed nor delivered. */
  readonly submissions_per_month: number | null;
  /** The longest `keep_for` that a form may have, and that of a new one. */
  readonly retention_days: number | null;
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
  /** Html of their own in mails. */
  readonly custom_templates: boolean;
  /** Senders and email servers of their own. */
  readonly custom_sender: boolean;
  /** Replies to those who submit. */
  readonly auto_response: boolean;
  /** Webhooks at all. */
  readonly webhooks: boolean;
  /** Captchas. */
  readonly captcha: boolean;
  /** Success pages of their own. */
  readonly redirect: boolean;
}

const MB = 1024 * 1024;

const unlimited: Plan = {
  forms: null,
  recipients: null,
  webhooks_per_form: 1,
  submissions_per_month: null,
  retention_days: null,
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
};

const free: Plan = {
  ...unlimited,
  forms: 3,
  recipients: 1,
  submissions_per_month: 100,
  retention_days: 30,
  images: false,
  files: false,
  custom_templates: false,
  custom_sender: false,
};

/** The built-in plans with the host's added; a host's plan of the same name replaces, and what it leaves out is as in `unlimited`. */
export function mergePlans(host: Readonly<Record<string, Partial<Plan>>> = {}): ReadonlyMap<string, Plan> {
  const plans = new Map<string, Plan>([
    ["free", free],
    ["unlimited", unlimited],
  ]);
  for (const [name, plan] of Object.entries(host)) plans.set(name, { ...unlimited, ...plan });
  return plans;
}
