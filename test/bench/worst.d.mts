import type { FormBackend } from "../../src/index.ts";

export interface WorstTeam {
  readonly mailed: string;
  readonly read: string;
  readonly ruled: string;
  readonly filled: string;
  readonly keys: readonly string[];
}

export interface WorstMailServer {
  readonly port: number;
  readonly recipients: readonly string[];
  close(): void;
}

export function mailServer(options: { readonly silent: boolean }): Promise<WorstMailServer>;
export function prepareWorst(
  backend: FormBackend,
  options: { readonly team: string; readonly server: number; readonly rows: number },
): Promise<WorstTeam>;
export function address(): string;
export function attacks(
  base: string,
  facts: WorstTeam,
): Record<"mails" | "reads" | "patterns" | "uploads" | "images", () => Promise<number>>;
