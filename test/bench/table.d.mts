export interface TableRow {
  readonly what: string;
  readonly ours: string;
}
export declare function compare(
  what: string,
  ours: readonly number[],
  rivalName: string,
  rival: readonly number[],
  digits: number,
  goal?: { readonly least: number } | { readonly most: number },
): TableRow;
export declare function beyond(rows: readonly TableRow[], factor: number): string[];
