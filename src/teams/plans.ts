/** What a team may do: numbers are limits (null = none; sizes in bytes), booleans say whether a feature is included. */
export interface Plan {
  readonly forms: number | null;
  readonly recipients: number | null;
  readonly webhooks_per_form: number | null;
  readonly submissions_per_month: number | null;
  readonly retention_days: number | null;
  readonly max_file_size: number | null;
  readonly max_total_file_size: number | null;
  readonly max_files: number | null;
  readonly images: boolean;
  readonly files: boolean;
  readonly custom_templates: boolean;
  readonly custom_sender: boolean;
  readonly auto_response: boolean;
  readonly webhooks: boolean;
  readonly captcha: boolean;
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
