import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { terminal } from "../../../_support/terminal.ts";

type Shell = "bash" | "zsh" | "fish";

/** The words that each shell offers after a line; the last word is completed. */
const cases: readonly (readonly [line: string, words: readonly string[]])[] = [
  ["form-backend fo", ["forms"]],
  ["form-backend forms ", ["create", "delete", "get", "help", "list"]],
  ["form-backend forms create --na", ["--name"]],
  ["form-backend submissions list contact --status s", ["spam"]],
  ["form-backend forms create --name forms --ke", ["--key"]],
  ["form-backend completion ", ["bash", "fish", "zsh"]],
  ["form-backend submissions import contact ./exp", ["./export.csv"]],
  ["form-backend plan --file ./exp", ["./export.csv"]],
];

/** Runs the real shell with its script. Returns the words of each line. */
const ask: Record<Shell, (cwd: string, script: string, line: string) => string> = {
  bash: (cwd, script, line) =>
    output("bash", cwd, [
      "--norc",
      "-c",
      `source ${script}
read -ra COMP_WORDS <<< "$1"; [[ $1 == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_form_backend
printf '%s\\n' "\${COMPREPLY[@]}"`,
      "bash",
      line,
    ]),
  fish: (cwd, script, line) => output("fish", cwd, ["--no-config", "-c", `source ${script}; complete -C '${line}'`]),
  zsh(cwd, script, line) {
    // A terminal of its own, in which each word that the completion adds is printed.
    const inner = join(cwd, "inner.zsh");
    writeFileSync(
      inner,
      `autoload -Uz compinit && compinit -u -D
source ${script}
bindkey '^I' complete-word
compadd () {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return $?; fi
  typeset -a hits; builtin compadd -A hits "$@"; print -l -- HIT:$^hits:; builtin compadd "$@"
}
finish () { print END; exit }
comppostfuncs=( finish )
print READY
`,
    );
    const outer = `zmodload zsh/zpty; zpty z "zsh -f -i"; zpty -w z "source ${inner}"
while zpty -r z l; do [[ $l == *READY* ]] && break; done
zpty -w -n z "$1"$'\\t'
while zpty -r z l; do print -r -- "$l"; [[ $l == *END* ]] && break; done`;
    return [...output("zsh", cwd, ["-f", "-c", outer, "zsh", line]).matchAll(/HIT:(.+?):/g)]
      .map(([, word]) => word)
      .join("\n");
  },
};

function output(shell: Shell, cwd: string, args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(shell, args, { cwd, encoding: "utf8", timeout: 15_000 });
  expect({ shell, stderr, status }).toEqual({ shell, stderr: "", status: 0 });
  return stdout;
}

/** Bash is everywhere; the others run where they are installed. */
const installed = (["bash", "zsh", "fish"] as const).filter(
  (shell) => shell === "bash" || !spawnSync(shell, ["--version"]).error,
);

describe.each(installed)("completion in %s", (shell) => {
  it("offers commands, options, values and files", { timeout: 120_000 }, async () => {
    const cwd = temporaryDirectory();
    const { code, out } = await terminal().cli("completion", shell);
    expect(code).toBe(0);
    const script = join(cwd, "script");
    writeFileSync(script, out);
    writeFileSync(join(cwd, "export.csv"), "email\n");
    for (const [line, words] of cases) {
      const offered = ask[shell](cwd, script, line)
        .split("\n")
        .map((text) => text.split("\t")[0] ?? "")
        .filter((word) => word !== "");
      // Zsh adds the part of a path that is not there yet.
      const paths = (word: string): string => word.replace(/^\.\//, "");
      expect({ line, words: offered.map(paths).sort() }).toEqual({ line, words: words.map(paths).sort() });
    }
  });
});
