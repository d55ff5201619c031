import type { Core } from "../../core/core.ts";
import { USUAL_PRIMARY } from "../../lib/brand.ts";
import type { FormRecord } from "../../model/form-record.ts";

/** A form with the logo and the colour of its team where it has none of its own; the form itself where the team has none. */
export function dressed({ options: { look } }: Pick<Core, "options">, form: FormRecord): FormRecord {
  const { logo_url, logo_dark_url, primary } = look;
  if (logo_url === "" && logo_dark_url === "" && primary === USUAL_PRIMARY) return form;
  const { self_email_notification: mail, auto_response: reply, after_submit } = form;
  const { page } = after_submit;
  const hasLogo = page.logo_url !== "" || page.logo_dark_url !== "";
  return {
    ...form,
    self_email_notification: { ...mail, logo_url: mail.logo_url || logo_url },
    auto_response: { ...reply, logo_url: reply.logo_url || logo_url },
    after_submit: {
      ...after_submit,
      page: {
        ...page,
        ...(!hasLogo && { logo_url: logo_url || logo_dark_url, logo_dark_url }),
        primary_color: page.primary_color === USUAL_PRIMARY ? primary : page.primary_color,
      },
    },
  };
}
