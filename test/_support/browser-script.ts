import { browser } from "../../tsup.config.ts";
import { bundle } from "./bundle.ts";

/** The browser entry, built as the package has it; answers where it lies. */
export const browserScript = (): Promise<string> => {
  const { entry: _, ...options } = browser;
  return bundle("src/surfaces/browser/index.ts", { ...options, dts: false, skipNodeModulesBundle: false });
};
