/** `skipped` lacks something that the check needs; `todo` says what. */
export type Level = "ok" | "warning" | "failed" | "skipped";

/** The result of one check. */
export interface Finding {
  readonly check: string;
  readonly level: Level;
  /** The fault or fact, in one sentence. */
  readonly message: string;
  /** The next step for the reader. */
  readonly todo?: string;
}

/** Takes the findings of one check. */
export interface Findings {
  ok(message: string): void;
  warning(message: string, todo: string): void;
  failed(message: string, todo: string): void;
  skipped(message: string, todo?: string): void;
}

export const findingsFor = (check: string, add: (finding: Finding) => void): Findings => {
  const at =
    (level: Level) =>
    (message: string, todo?: string): void =>
      add({ check, level, message, ...(todo !== undefined && { todo }) });
  return { ok: at("ok"), warning: at("warning"), failed: at("failed"), skipped: at("skipped") };
};
