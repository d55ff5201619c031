import type { Core } from "../api/kernel.ts";
import type { Assets } from "./assets.ts";
import type { Cookies } from "./cookies.ts";
import type { Settings } from "./options.ts";
import type { ChooseLanguage } from "./texts.ts";

/** An inbox in one backend. */
export interface MountedInbox {
  readonly core: Core;
  readonly settings: Settings;
  readonly assets: Assets;
  readonly cookies: Cookies;
  readonly language: ChooseLanguage;
}
