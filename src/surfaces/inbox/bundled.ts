/** A file of the inbox as text. */
export interface Bundled {
  readonly type: string;
  readonly body: string;
}

/**
 * The style sheet and the script of the inbox. The build inserts them: `scripts/inbox-assets.mjs` provides this module to tsup
 * and Vitest, so no file is read at run time and no bundler of a host can lose one.
 */
export const bundled: Readonly<Record<"css" | "js", Bundled>> = {
  css: { type: "text/css; charset=utf-8", body: "" },
  js: { type: "text/javascript; charset=utf-8", body: "" },
};
