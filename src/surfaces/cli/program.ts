import { Command } from "commander";
import { completionCommands } from "./commands/completion.ts";
import { configCommands } from "./commands/config.ts";
import { deliveryCommands } from "./commands/deliveries.ts";
import { doctorCommands } from "./commands/doctor.ts";
import { formCommands } from "./commands/forms.ts";
import { initCommands } from "./commands/init.ts";
import { keyCommands } from "./commands/keys.ts";
import { mcpCommands } from "./commands/mcp.ts";
import { messageCommands } from "./commands/messages.ts";
import { schemaCommands } from "./commands/schema.ts";
import { serveCommands } from "./commands/serve.ts";
import { spamModelCommands } from "./commands/spam-model.ts";
import { storeCommands } from "./commands/store.ts";
import { submissionCommands } from "./commands/submissions.ts";
import { suppressionCommands } from "./commands/suppressions.ts";
import { tryCommands } from "./commands/try.ts";
import { webhookCommands } from "./commands/webhooks.ts";
import { type CommonOptions, contextOf } from "./context.ts";
import type { Declare } from "./declare.ts";
import type { Io } from "./io.ts";

const AFTER = `
Environment:
  FORM_BACKEND_URL  the URL where the backend is mounted
  FORM_BACKEND_KEY  an API key

Exit codes: 0 done, 1 failed, 2 changes found, 3 credential refused, 64 misuse`;

/** In the order of the help. */
const groups = [
  serveCommands,
  initCommands,
  doctorCommands,
  formCommands,
  submissionCommands,
  messageCommands,
  suppressionCommands,
  spamModelCommands,
  tryCommands,
  deliveryCommands,
  webhookCommands,
  configCommands,
  keyCommands,
  storeCommands,
  schemaCommands,
  mcpCommands,
  completionCommands,
];

/** All commands. Parsing is strict, and errors of parsing are thrown. */
export function createProgram(io: Io): Command {
  const program = new Command("form-backend")
    .description("Run a form backend, and work with its forms and submissions.")
    .helpCommand("help [command]", "Show the help of a command.")
    .addHelpText("after", AFTER);
  const json = (command: Command): Command => command.option("--json", "print each result as one line of JSON");
  const declare: Declare = {
    io,
    http: (command) => json(command).option("--url <url>", "the backend, instead of FORM_BACKEND_URL"),
    store: json,
    action:
      (run) =>
      async (...given) => {
        // The last two are the options and the command.
        const options = given.at(-2) as CommonOptions;
        await run(contextOf(io, options), ...(given.slice(0, -1) as never));
      },
  };
  for (const register of groups) register(program, declare);
  strict(program, io);
  return program;
}

/** Settings that commands don't inherit when they are added. */
function strict(command: Command, io: Io): void {
  command
    .exitOverride()
    .allowExcessArguments(false)
    .showSuggestionAfterError(true)
    .helpOption("-h, --help", "show this help")
    .configureOutput({
      writeOut: (text) => void io.out(text).catch(() => {}),
      writeErr: (text) => io.err(text),
      getOutHelpWidth: () => Math.min(io.columns, 80),
      getErrHelpWidth: () => Math.min(io.columns, 80),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  for (const sub of command.commands) strict(sub, io);
}
