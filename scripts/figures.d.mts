export interface Figures {
  readonly page: string;
  readonly measured: RegExp;
  readonly code: readonly string[];
}
export const FIGURES: readonly Figures[];
export function oldFigures(
  figures: readonly Figures[],
  look: { read(page: string): string; changed(code: readonly string[]): string },
): { page: string; text: string }[];
