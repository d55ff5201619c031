import { Option } from "commander";
import type { Register } from "../declare.ts";
import { hostNames } from "../init/hosts.ts";
import type { InitOptions } from "../init/index.ts";

/** `init`. */
export const initCommands: Register = (program, { store, action }) => {
  store(
    program
      .command("init")
      .description("Add a form backend to the app in this folder: prints the lines to add, and writes only new files."),
  )
    .addOption(new Option("--host <host>", "the framework; default: the one that the app has").choices(hostNames))
    .addOption(
      new Option(
        "--database <kind>",
        "the store; default: that of the environment or the app, or a SQLite file",
      ).choices(["sqlite", "postgres", "mysql", "libsql"]),
    )
    .option("--agents", "add a line about the library to the AGENTS.md of this folder")
    .option("--no-try", "don't post to the form at the end")
    .option("--yes", "write the files without asking")
    .action(action(async (context, options: InitOptions) => (await import("../init/index.ts")).init(context, options)));
};
