import { randomInt } from "node:crypto";
import type { Plan } from "../teams/plans.ts";
import type { FormRecord } from "./schema.ts";

const avatars = ["📬", "📮", "✉️", "📝", "📋", "🗂️", "💬", "📣", "🎯", "🚀", "🌱", "⭐"] as const;

/** A form as it is before anything of it was configured. */
export function defaultForm(team_id: string, ownerEmail: string | null, plan: Plan, created_at: string): FormRecord {
  return {
    team_id,
    name: "",
    active: true,
    avatar: avatars[randomInt(avatars.length)] as string,
    folder_id: null,
    created_at,
    allowed_origins: [],
    storage: {
      store_submissions: true,
      keep_for: plan.retention_days === null ? "forever" : `${plan.retention_days}_days`,
    },
    spam: { protection: true, require_token: false, captcha: { provider: "none", secret: "" } },
    self_email_notification: {
      enabled: true,
      recipients: ownerEmail ? [ownerEmail] : [],
      include_spam: false,
      subject: "New submission: {{form.name}}",
      logo_url: "",
      logo_height: 48,
      template: { theme: "fancy", html: "" },
      sender: { server_id: "", name: "", email: "" },
    },
    auto_response: {
      enabled: false,
      subject: "Thank you for your message",
      from_name: "",
      from_email: "",
      logo_url: "",
      logo_height: 48,
      template: { theme: "fancy", message: "Thank you. We received your message and will get back to you.", html: "" },
    },
    after_submit: defaultAfterSubmit(),
    validation: { enabled: true, rules: [] },
    webhooks: [],
  };
}

/** What a visitor sees after posting, before anybody chose. */
export function defaultAfterSubmit(): FormRecord["after_submit"] {
  return {
    page: {
      theme: "formal",
      mode: "light",
      headline: "Thank you!",
      message: "Your submission has been received.",
      logo_url: "",
      logo_dark_url: "",
      logo_size: "medium",
      primary_color: "#2563eb",
      secondary_color: "#ffffff",
      return_button: { text: "Return", url: "" },
      download_button: { text: "", url: "" },
    },
    redirect: { success_url: "", fail_url: "", append_submission_to_url: false },
  };
}
