import { resolve } from "node:path";
import ts from "typescript";

const root = resolve(import.meta.dirname, "..");

/** The entries whose types have members to explain: the source of each, and what it is built to. */
export const documentedEntries = {
  "src/index.ts": "dist/index.d.ts",
  "src/surfaces/client/index.ts": "dist/client.d.ts",
};

/** A program over files of this package, with the options of its own check. */
export function programOf(files) {
  const { config } = ts.readConfigFile(resolve(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const paths = { ...options.paths, "form-backend/browser": ["./src/surfaces/browser/index.ts"] };
  const lib = ["lib.es2023.d.ts", "lib.dom.d.ts"];
  return ts.createProgram(
    files.map((file) => resolve(root, file)),
    { ...options, paths, lib },
  );
}

/**
 * Every member of every type that the files export, by its path such as `Form.storage.keep_for`.
 * Objects without a name are walked into, also those that calls take and answer; one with a name is walked where it is exported.
 */
export function membersOf(program, files) {
  const checker = program.getTypeChecker();
  const found = new Map();
  for (const file of files) {
    const source = program.getSourceFile(resolve(root, file));
    const module = source && checker.getSymbolAtLocation(source);
    for (const exported of module ? checker.getExportsOfModule(module) : []) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      if (symbol.flags & (ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Interface))
        walk(checker.getDeclaredTypeOfSymbol(symbol), exported.name, []);
    }
  }
  return found;

  function walk(type, at, above) {
    if (above.includes(type)) return;
    for (const one of type.isUnion() ? type.types : [type]) {
      if (checker.isArrayType(one) || checker.isTupleType(one)) {
        for (const element of checker.getTypeArguments(one)) walkInto(element, at, [...above, type]);
      } else if (one.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) {
        for (const member of checker.getPropertiesOfType(one)) {
          if (!isOurs(member) || found.has(`${at}.${member.name}`)) continue;
          found.set(`${at}.${member.name}`, member);
          walkInto(checker.getTypeOfSymbol(member), `${at}.${member.name}`, [...above, type]);
        }
      }
    }
  }

  /** Types with a name are listed under that name, with their members. */
  function walkInto(type, at, above) {
    for (const one of type.isUnion() ? type.types : [type]) {
      const named = one.symbol && one.symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class);
      const holds = checker.isArrayType(one) || checker.isTupleType(one) || HOLDERS.has(one.symbol?.name);
      const calls = one.getCallSignatures();
      if (holds) for (const element of checker.getTypeArguments(one)) walkInto(element, at, above);
      else if (!named && calls.length === 0) walk(one, at, above);
      for (const call of holds ? [] : calls) {
        walkInto(call.getReturnType(), `${at}()`, above);
        for (const parameter of call.getParameters())
          walkInto(checker.getTypeOfSymbol(parameter), `${at}(${parameter.name})`, above);
      }
    }
  }
}

/** Named types of the language with a type inside that may have no name. */
const HOLDERS = new Set(["Promise", "AsyncIterable", "AsyncGenerator", "AsyncIterableIterator"]);

/** Members of texts, lists and other packages' types are none of ours. */
const isOurs = (symbol) =>
  !symbol.name.startsWith("__") &&
  (symbol.declarations ?? []).every((declaration) => !declaration.getSourceFile().fileName.includes("/node_modules/"));

/** Members whose names say all that can be said, and types that are other people's or have a page of their own. */
export const unexplained = [
  /^(Locale|FormBackendOptions\.locales)\b/,
  /^(RateClient|RateLimitOptions\.store|StandardSchema)\b/,
  // Ports: a driver's author reads the source.
  /^StorageDriver\.(within\(\)\.)?commit\(/,
  /^CaptchaOptions\.verifyUrl\./,
  // Parts of a path.
  /^Client\.\w+\(args\)\.(\w+_id|email)$/,
];

/** The comment of a member, as an editor shows it; "" for none. */
export const commentOf = (program, symbol) =>
  ts.displayPartsToString(symbol.getDocumentationComment(program.getTypeChecker()));

/** The text of `.describe(…)` in the schema of a member; "" for none. */
export function descriptionOf(program, symbol) {
  const checker = program.getTypeChecker();
  for (const declaration of symbol.declarations ?? []) {
    const said = ofDeclaration(declaration);
    if (said) return said;
  }
  return "";

  function ofDeclaration(declaration) {
    if (ts.isShorthandPropertyAssignment(declaration))
      return ofSymbol(checker.getShorthandAssignmentValueSymbol(declaration));
    return declaration.initializer ? ofExpression(declaration.initializer) : "";
  }

  function ofSymbol(symbol) {
    const own = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const declaration = own?.valueDeclaration;
    if (!declaration) return "";
    // Of another member's schema: its comment is about this one as well. That of a constant is about the constant.
    const comment = ts.isPropertyAssignment(declaration) ? commentOf(program, own) : "";
    return comment || ofDeclaration(declaration);
  }

  function ofExpression(node) {
    if (ts.isAsExpression(node) || ts.isParenthesizedExpression(node)) return ofExpression(node.expression);
    if (ts.isStringLiteral(node)) return node.text;
    if (ts.isIdentifier(node)) return ofSymbol(checker.getSymbolAtLocation(node));
    if (ts.isPropertyAccessExpression(node)) return ofSymbol(checker.getSymbolAtLocation(node.name));
    if (!ts.isCallExpression(node)) return "";
    const [first] = node.arguments;
    if (ts.isPropertyAccessExpression(node.expression)) {
      const method = node.expression.name.text;
      if (method === "describe" && first) return textOf(first);
      const meta =
        method === "meta" && first && ts.isObjectLiteralExpression(first) && memberOf(first, /^description$/);
      if (meta) return ofDeclaration(meta);
      return isZod(node.expression.expression) ? "" : ofExpression(node.expression.expression);
    }
    // route({ summary }), leaf({ schema }), template(schema)
    if (!first || !ts.isObjectLiteralExpression(first)) return first ? ofExpression(first) : "";
    const said = memberOf(first, /^(summary|schema)$/);
    return said ? ofDeclaration(said) : "";
  }

  function textOf(node) {
    const type = checker.getTypeAtLocation(node);
    return type.isStringLiteral() ? type.value : "";
  }
}

const memberOf = (node, name) => node.properties.find((property) => name.test(property.name?.getText() ?? ""));

const isZod = (node) => ts.isIdentifier(node) && node.text === "z";
