import { USUAL_PRIMARY } from "../../lib/brand.ts";
import { branded } from "../api/branded.ts";
import type { InboxUser } from "../api/inbox.ts";
import type { MountedInbox } from "./mounted.ts";
import { answered, HideSchema } from "./options.ts";
import { assertListed, type Theme, ThemeSchema } from "./options-theme.ts";
import type { Member } from "./roles.ts";

/** The inbox as one person sees it: with the names of their team, and what the host's functions say. */
export async function personalised(mounted: MountedInbox, member: Member): Promise<MountedInbox> {
  const teams = member.caller.team_ids;
  const core = teams?.length === 1 ? await branded(mounted.core, teams[0] as string) : mounted.core;
  const { settings } = mounted;
  const person = member.user as InboxUser;
  const theme = settings.themeOf
    ? answered("theme", ThemeSchema, () => settings.themeOf?.(person))
    : core === mounted.core
      ? settings.theme
      : themedBy(settings.theme, core.options.look);
  const hide = settings.hideOf ? answered("hide", HideSchema, () => settings.hideOf?.(person)) : settings.hide;
  if (core === mounted.core && theme === settings.theme && hide === settings.hide) return mounted;
  assertListed(theme, settings);
  return {
    ...mounted,
    core,
    settings: { ...settings, theme, hide },
    assets: { ...mounted.assets, theme: mounted.assets.themeAt(theme) },
  };
}

/** The theme of the inbox with the pictures and the colour of a team. */
function themedBy(theme: Theme, look: MountedInbox["core"]["options"]["look"]): Theme {
  const logo = look.logo_url || look.logo_dark_url;
  return {
    ...theme,
    ...(logo && { logo_url: logo, logo_dark_url: look.logo_dark_url || logo }),
    primary: /^#[0-9a-f]{6}$/i.test(look.primary) && look.primary !== USUAL_PRIMARY ? look.primary : theme.primary,
  };
}
