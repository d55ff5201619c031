import { ApiError } from "../../errors.ts";
import type { HostFormPatch } from "../../model/form-input.ts";
import { type FormRecord, settingsOf } from "../../model/form-record.ts";
import { type FormSettings, mergeSettings } from "../../model/form-settings.ts";

/** The prefix of a leaf in errors: empty at the address of the settings, `settings.` in a form. */
export type SettingsAt = "" | "settings.";

/**
 * The settings of a form with those of a patch, sent among `settings` or in the places of before there were settings. Throws
 * `invalid_parameter` where a leaf is sent in both places and differs.
 */
export function patchedSettings(form: FormRecord, patch: HostFormPatch, at: SettingsAt): FormSettings {
  const { settings = {} } = patch;
  const older = {
    allowed_origins: patch.allowed_origins,
    require_token: patch.spam?.require_token,
    from_email: patch.auto_response?.from_email,
  };
  for (const name of Object.keys(older) as (keyof typeof older)[]) {
    const [here, there] = [settings[name], older[name]];
    if (here === undefined || there === undefined || JSON.stringify(here) === JSON.stringify(there)) continue;
    throw new ApiError("invalid_parameter", {
      param: at + name,
      message: `\`${at + name}\` is sent in two places with two values; send it only in \`settings\`.`,
    });
  }
  const merged = mergeSettings(settingsOf(form), { ...older, ...settings }, at);
  return { ...merged, aliases: [...new Set(merged.aliases)] };
}
