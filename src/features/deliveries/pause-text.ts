import type { Core } from "../../core/core.ts";
import type { Pause } from "../../model/pause.ts";

/** The step that makes a destination take something again, in English, as logs and answers say it. */
export const pauseText = ({ options: { languages } }: Core, { reason, what }: Pause): string =>
  languages.ofOwner("en").destination[reason]({ what });
