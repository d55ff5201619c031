import backend from "#form-backend";

interface NitroApp {
  readonly hooks: { hook(name: "close", run: () => Promise<void>): unknown };
}

/** Starts the workers with the server, so jobs left by a restart run without waiting for a request, and closes them with it. */
export default function plugin(nitro: NitroApp): void {
  if (typeof backend?.handle !== "function") {
    throw new TypeError(
      "[form-backend] the file named in `formBackend.config` must have the object returned by createFormBackend() as its default export",
    );
  }
  // Pages that are rendered while building need no workers.
  if (import.meta.prerender) return;
  backend.ready().catch((error: unknown) => {
    // The next request tries again.
    process.stderr.write(`[form-backend] error: the backend could not start: ${String(error)}\n`);
  });
  nitro.hooks.hook("close", () => backend.close());
}
