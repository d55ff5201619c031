// Paths of Chromium for tests, benchmarks and scripts.
import { existsSync } from "node:fs";

const named = process.env.CHROMIUM_PATH;
/** Debian's package of Chromium without a window. The pages of the whole one's window take half of its time. */
const WITHOUT_WINDOW = "/usr/bin/chromium-headless-shell";

export const wholeChromium = named ?? "/usr/bin/chromium";
export const headlessChromium = named === undefined && existsSync(WITHOUT_WINDOW) ? WITHOUT_WINDOW : wholeChromium;
