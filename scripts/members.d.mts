import type ts from "typescript";

export declare const documentedEntries: Record<string, string>;
export declare const unexplained: readonly RegExp[];
export declare function programOf(files: readonly string[]): ts.Program;
export declare function membersOf(program: ts.Program, files: readonly string[]): Map<string, ts.Symbol>;
export declare function commentOf(program: ts.Program, symbol: ts.Symbol): string;
export declare function descriptionOf(program: ts.Program, symbol: ts.Symbol): string;
