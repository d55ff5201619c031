import { Argument } from "commander";
import type { Shell } from "../completion/scripts.ts";
import type { Register } from "../declare.ts";

/** `completion`. */
export const completionCommands: Register = (program, { store, action }) => {
  store(
    program
      .command("completion")
      .description("Print a script that completes commands and options in your shell.")
      .addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish"])),
  ).action(
    action(async ({ io, json, show }, shell: Shell) => {
      const [{ scripts }, { nodesOf }] = await Promise.all([
        import("../completion/scripts.ts"),
        import("../completion/tree.ts"),
      ]);
      const script = scripts[shell](nodesOf(program));
      await (json ? show({ script }) : io.out(script));
    }),
  );
};
