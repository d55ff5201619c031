type Texts = Readonly<Record<string, unknown>>;
type Entry = string | Readonly<Record<string, string>>;

export declare const readers: readonly ("inbox" | "visitors")[];
export declare function tagsOf(reader: string): string[];
export declare function textsOf(reader: string, tag: string): Texts;
export declare function sentencesOf(texts: Texts): Map<string, Entry>;
export declare function coverageOf(
  english: Texts,
  texts: Texts,
): { readonly sentences: number; readonly missing: readonly string[]; readonly same: readonly string[] };
export declare function typesFile(reader: string): string;
export declare function typesOf(reader: string): string;
