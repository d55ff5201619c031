import { join } from "node:path";
import ts from "typescript";
import { type Block, root, whereIs } from "./_blocks.ts";

const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
const { options: ours } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);

/** What a host's own project would say, with the library's sources in place of the package. */
const options: ts.CompilerOptions = {
  ...ours,
  baseUrl: root,
  allowJs: true,
  checkJs: true,
  lib: [
    "lib.es2023.d.ts",
    "lib.es2024.string.d.ts",
    "lib.dom.d.ts",
    "lib.dom.iterable.d.ts",
    "lib.dom.asynciterable.d.ts",
  ],
  exactOptionalPropertyTypes: false,
  noUncheckedIndexedAccess: false,
  verbatimModuleSyntax: false,
  paths: {
    "form-backend": ["src/index.ts"],
    "form-backend/client": ["src/surfaces/client/index.ts"],
    "form-backend/config": ["src/surfaces/config/index.ts"],
    "form-backend/browser": ["src/surfaces/browser/index.ts"],
    "form-backend/react": ["src/surfaces/browser/react.ts"],
    "form-backend/vue": ["src/surfaces/browser/vue.ts"],
    "form-backend/svelte": ["src/surfaces/browser/svelte.ts"],
    "form-backend/inbox": ["src/surfaces/inbox/index.ts"],
    "form-backend/import": ["src/surfaces/import/index.ts"],
    "form-backend/mcp": ["src/surfaces/mcp/index.ts"],
    "form-backend/locales/*": ["src/texts/locales/*.ts"],
    "form-backend/testing": ["src/surfaces/testing/index.ts"],
    "form-backend/spam/*": ["src/features/spam/*.ts"],
    "form-backend/drivers/*": ["src/drivers/*.ts"],
    "form-backend/nuxt": ["adapters/nuxt/module.ts"],
    "form-backend/*": ["adapters/*.ts"],
  },
};

/** JavaScript says less of itself, so less can be asked of it. */
const loose: ts.CompilerOptions = { strict: false, noImplicitAny: false, strictNullChecks: false };

/** Compiles every block as a module of its own, and answers what is wrong with it. `names` declares what pages presume. */
export function compile(blocks: readonly Block[], names: readonly string[]): string[] {
  const scripts = blocks.filter(({ language }) => language === "js");
  return [
    ...check(
      blocks.filter(({ language }) => language === "ts"),
      names,
      {},
    ),
    ...check(scripts, names, loose),
  ];
}

function check(blocks: readonly Block[], names: readonly string[], more: ts.CompilerOptions): string[] {
  const all = { ...options, ...more };
  const host = ts.createCompilerHost(all);
  // They lie in the root, so that packages are found as an app beside the library finds them.
  const files = new Map(blocks.map((block, at) => [join(root, `docs-block-${at}.${block.language}`), block]));
  const sources = new Map([...files].map(([name, { code }]) => [name, `${code}\nexport {};\n`]));
  const read = host.readFile.bind(host);
  const exists = host.fileExists.bind(host);
  host.readFile = (name) => sources.get(name) ?? read(name);
  host.fileExists = (name) => sources.has(name) || exists(name);
  const parse = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) => {
    const text = sources.get(name);
    return text === undefined ? parse(name, ...rest) : ts.createSourceFile(name, text, rest[0]);
  };
  const program = ts.createProgram([...files.keys(), ...names], all, host);
  return [...files].flatMap(([name, block]) => {
    const source = program.getSourceFile(name);
    if (!source) throw new Error(`${whereIs(block)} was not compiled`);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map((fault) => {
      const line = block.line + source.getLineAndCharacterOfPosition(fault.start ?? 0).line;
      return `${block.page}:${line} ${ts.flattenDiagnosticMessageText(fault.messageText, " ")}`;
    });
  });
}

/** Whether it parses, for what needs a framework that is not installed here. */
export function parseFaults(block: Block): string[] {
  const code = ["vue", "svelte"].includes(block.language)
    ? (/<script[^>]*>([\s\S]*?)<\/script>/.exec(block.code)?.[1] ?? "")
    : block.code;
  if (code.trim() === "") return [`${whereIs(block)} holds no script`];
  const { diagnostics = [] } = ts.transpileModule(code, {
    fileName: "block.tsx",
    reportDiagnostics: true,
    compilerOptions: { jsx: ts.JsxEmit.Preserve, target: ts.ScriptTarget.ES2022 },
  });
  return diagnostics.map(({ messageText }) => `${whereIs(block)} ${ts.flattenDiagnosticMessageText(messageText, " ")}`);
}
