/** The browser that people use: `CHROMIUM_PATH`, or Debian's. */
export const wholeChromium: string;
/** `CHROMIUM_PATH`, or Debian's Chromium without a window where it is installed, or the whole one. It blocks no cookies of other sites. */
export const headlessChromium: string;
