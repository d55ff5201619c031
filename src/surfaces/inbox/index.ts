import type { InboxApi, InboxMount } from "../api/inbox.ts";
import type { Core, Inbox } from "../api/kernel.ts";
import { createAssets } from "./assets.ts";
import { createCookies } from "./cookies.ts";
import { isDevelopersOwn, LINK_SECONDS, linkTo, logDeveloperLink, warnWithoutGate } from "./link.ts";
import type { MountedInbox } from "./mounted.ts";
import { assertEmbeddable, faultOf, type InboxOptions, settingsOf } from "./options.ts";
import { EMBED_SECONDS, LinkSchema } from "./options-people.ts";
import { endSessionsOf } from "./session.ts";
import { languagesOf, loadTexts } from "./texts.ts";
import { zoneOf } from "./zone.ts";

export type { InboxOptions } from "./options.ts";
export type { InboxTheme } from "./options-theme.ts";

/**
 * Makes the inbox: pages below `{baseUrl}/inbox` where owners of forms see, search, sort and export submissions. It is closed
 * until you admit people, with `authenticate`, with `apiKeys`, or with a link of `backend.inbox.link`. Throws a TypeError that
 * names an unknown or wrong option.
 *
 * @example
 * const backend = createFormBackend({
 *   baseUrl: "https://app.example.com/forms",
 *   inbox: inbox({
 *     authenticate: async (request) => {
 *       const user = await sessionOf(request);
 *       return user && { id: user.id, name: user.name, team_ids: [user.team], role: "editor" };
 *     },
 *     signIn: () => "https://app.example.com/login",
 *   }),
 * });
 */
export function inbox(options: InboxOptions = {}): Inbox {
  const settings = settingsOf(options);
  return {
    path: settings.path,
    check: (baseUrl) => assertEmbeddable(settings, baseUrl),
    mount(core: Core): InboxMount {
      const assets = createAssets(settings);
      const cookies = createCookies(core.options, settings.embed !== undefined);
      const language = languagesOf(core.options);
      const mounted: MountedInbox = { core, settings, assets, cookies, language };
      return { zone: zoneOf(mounted), api: apiOf(mounted), onReady: () => onReady(mounted) };
    },
  };
}

const apiOf = (mounted: MountedInbox): InboxApi => ({
  async link(input) {
    const parsed = LinkSchema.safeParse(input, { reportInput: true });
    if (!parsed.success) throw new TypeError(`[form-backend] inbox.link: ${faultOf(parsed.error, "")}`);
    const { user, to, embed, expires_in, ...rights } = parsed.data;
    if (embed && !mounted.settings.embed) {
      throw new TypeError("[form-backend] inbox.link: `embed` needs the option `embed` of inbox({ … })");
    }
    const seconds = expires_in ?? (embed ? EMBED_SECONDS : LINK_SECONDS);
    return linkTo(mounted, { ...user, ...rights }, { to, seconds, embed });
  },
  async endSessions({ user_id }) {
    await endSessionsOf(mounted.core, user_id);
  },
});

async function onReady(mounted: MountedInbox): Promise<void> {
  void loadTexts(mounted.core.options);
  if (isDevelopersOwn(mounted)) await logDeveloperLink(mounted);
  else warnWithoutGate(mounted);
}
