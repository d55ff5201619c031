import { onAnySubmit } from "./enhance.ts";
import { watchSources } from "./source.ts";

export * from "./core.ts";
export { type EnhanceOptions, enhance } from "./enhance.ts";

// One listener for all, so that forms which come later need nothing. Servers import this file too, for nothing.
if (typeof document !== "undefined") {
  document.addEventListener("submit", onAnySubmit);
  watchSources();
}
