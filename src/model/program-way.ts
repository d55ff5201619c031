const VIA = Symbol.for("form-backend:via");

/**
 * Marks the options of a backend whose calls in process are those of the command line, for the audit. The command line and the package
 * are bundles of their own, so they share a symbol.
 */
export const asCommandLine = <T extends object>(options: T): T => Object.assign(options, { [VIA]: "cli" });

/** The way of calls in process of a backend with these options. */
export const wayOf = (options: object): "cli" | "in_process" =>
  Reflect.get(options, VIA) === "cli" ? "cli" : "in_process";
