import { resolve } from "node:path";
import ts from "typescript";

/** Tables of options and calls, made from the types and their comments. `npm run docs` writes them; a test fails while they are old. */

const root = resolve(import.meta.dirname, "..");

/** An object of more options than this has a table of its own. */
const MAX_INNER = 8;

/** Fills the blocks `<!-- options: NAME -->` and `<!-- calls: NAME -->` of a page. */
export interface TypeTables {
  /** The text with every block made anew. Throws on a type that the sources do not export. */
  fill(text: string): string;
  /** Every call of a type, as its table has it: its path, the note, and the codes that its `@throws` name. */
  calls(name: string): { readonly path: string; readonly note: string; readonly throws: readonly string[] }[];
}

/** Reads the types that the given source files export. */
export function typeTables(files: readonly string[]): TypeTables {
  const { config } = ts.readConfigFile(resolve(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const program = ts.createProgram(
    files.map((file) => resolve(root, file)),
    options,
  );
  const checker = program.getTypeChecker();
  const exported = new Map<string, ts.Symbol>();
  for (const file of files) {
    const source = program.getSourceFile(resolve(root, file));
    const module = source && checker.getSymbolAtLocation(source);
    for (const symbol of module ? checker.getExportsOfModule(module) : []) exported.set(symbol.name, symbol);
  }

  const tables: Record<string, (name: string) => string> = {
    options: (name) => table(["Option", "Takes", "Notes"], optionRows(membersOf(typeOf(name)), "")),
    calls: (name) => table(["Call", "Returns", "Notes"], callRows(membersOf(typeOf(name)), "").map(cellsOf)),
  };

  return {
    calls: (name) =>
      callRows(membersOf(typeOf(name)), "").map(({ path, note, throws }) => {
        return { path, note, throws: [...throws.matchAll(/`(\w+)`/g)].map(([, code = ""]) => code) };
      }),
    fill: (text) =>
      text.replace(/<!-- (options|calls): (\w+) -->\n[\s\S]*?<!-- \/\1 -->/g, (_, kind: string, name: string) => {
        return `<!-- ${kind}: ${name} -->\n${tables[kind]?.(name)}\n<!-- /${kind} -->`;
      }),
  };

  function typeOf(name: string): ts.Type {
    const symbol = exported.get(name);
    if (!symbol) throw new Error(`there is no type ${name}`);
    const own = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return checker.getDeclaredTypeOfSymbol(own);
  }

  /** Members in the order of the source; of a union every member's. */
  function membersOf(type: ts.Type): ts.Symbol[] {
    const found = new Map<string, ts.Symbol>();
    for (const one of type.isUnion() ? type.types : [type]) {
      for (const symbol of checker.getPropertiesOfType(one))
        if (!found.has(symbol.name)) found.set(symbol.name, symbol);
    }
    return [...found.values()];
  }

  function optionRows(members: readonly ts.Symbol[], at: string): string[][] {
    const someOptional = members.some(isOptional);
    return members.flatMap((symbol) => {
      const path = at + symbol.name;
      const inner = innerOptions(checker.getNonNullableType(typeOfMember(symbol)));
      const required = someOptional && !isOptional(symbol) && at === "" ? "Required. " : "";
      const own = [`\`${path}\``, inner ? "object" : shown(symbol), required + noteOf(symbol)];
      return [own, ...(inner ? optionRows(inner, `${path}.`) : [])];
    });
  }

  /** The members of a plain object of options, which get rows of their own; null for everything that has methods or is no object. */
  function innerOptions(type: ts.Type): ts.Symbol[] | null {
    const objects = (type.isUnion() ? type.types : [type]).filter((one) => !(one.flags & ts.TypeFlags.BooleanLiteral));
    const [only] = objects;
    if (objects.length !== 1 || !only || !isOurs(only) || only.getCallSignatures().length > 0) return null;
    // A driver is made by a function of its own, and nobody writes its members as options.
    if (/Driver$/.test((only.aliasSymbol ?? only.getSymbol())?.name ?? "")) return null;
    const members = membersOf(only);
    return members.some(isOptional) && members.length <= MAX_INNER ? members : null;
  }

  function isOurs(type: ts.Type): boolean {
    const declaration = type.symbol?.declarations?.[0];
    return Boolean(
      declaration && !declaration.getSourceFile().fileName.includes("/node_modules/") && !checker.isArrayType(type),
    );
  }

  function callRows(members: readonly ts.Symbol[], at: string): CallRow[] {
    return members.flatMap((symbol) => {
      const type = typeOfMember(symbol);
      const [signature] = type.getCallSignatures();
      const path = at + symbol.name;
      if (!signature)
        return type.isUnion() || type.flags & ts.TypeFlags.StringLike ? [] : callRows(membersOf(type), `${path}.`);
      const parameters = signature.getParameters().map((parameter) => {
        const declared = parameter.valueDeclaration as ts.ParameterDeclaration;
        return parameter.name + (declared.questionToken || declared.initializer ? "?" : "");
      });
      const written = signature.getDeclaration()?.type?.getText() ?? "void";
      const answer = clean(written.replace(/^Promise<(.*)>$/s, "$1"));
      const answers = answer === "void" ? "nothing" : `\`${answer}\``;
      return [{ path, parameters, answers, throws: throwsOf(symbol), note: noteOf(symbol) }];
    });
  }

  function throwsOf(symbol: ts.Symbol): string {
    const [tag] = symbol.getJsDocTags(checker).filter(({ name }) => name === "throws");
    return ts.displayPartsToString(tag?.text).replace(/\s+/g, " ");
  }

  function typeOfMember(symbol: ts.Symbol): ts.Type {
    const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
    return declaration ? checker.getTypeOfSymbolAtLocation(symbol, declaration) : checker.getTypeOfSymbol(symbol);
  }

  /** The type as its author wrote it, which is shorter than what the compiler makes of it. */
  function shown(symbol: ts.Symbol): string {
    const declared = symbol.valueDeclaration;
    const written = declared && "type" in declared && declared.type ? (declared.type as ts.TypeNode).getText() : null;
    return `\`${clean(written ?? checker.typeToString(typeOfMember(symbol)))}\``;
  }

  function noteOf(symbol: ts.Symbol): string {
    return ts.displayPartsToString(symbol.getDocumentationComment(checker)).replace(/\s+/g, " ");
  }
}

interface CallRow {
  readonly path: string;
  readonly parameters: readonly string[];
  readonly answers: string;
  readonly throws: string;
  readonly note: string;
}

const cellsOf = ({ path, parameters, answers, throws, note }: CallRow): string[] => [
  `\`${path}(${parameters.join(", ")})\``,
  answers,
  throws === "" ? note : `${note} Throws ${throws.replace(/\.$/, "")}.`,
];

const isOptional = (symbol: ts.Symbol): boolean => Boolean(symbol.flags & ts.SymbolFlags.Optional);

const clean = (type: string): string =>
  type
    .replace(/import\("[^"]*"\)\./g, "")
    .replace(/\/\*\*.*?\*\//gs, "")
    .replace(/\s+/g, " ")
    .replace(/;? \}/g, " }")
    .replace(/ \| undefined\b/g, "");

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
