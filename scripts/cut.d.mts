export declare const FILES: readonly string[];
export declare function cut(input: {
  files: Readonly<Record<string, string>>;
  version?: string | undefined;
  day: string;
}): { version: string; notes: string; files: Readonly<Record<string, string>> };
