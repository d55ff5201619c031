import type { Command, Option } from "commander";

/** Words for a value: fixed ones, files, or nothing that a shell could know. */
export type Values = readonly string[] | "files" | "free";

/** An option of a command. */
export interface Flag {
  /** With its dashes. */
  readonly names: readonly string[];
  readonly description: string;
  /** Null if it takes no value. */
  readonly values: Values | null;
}

/** A command, at the words that lead to it. */
export interface Node {
  /** `/forms/list`; empty for the program. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly Flag[];
  /** Words for its arguments. */
  readonly values: Values;
}

/** All commands as they are declared. */
export function nodesOf(program: Command): Node[] {
  const nodes: Node[] = [];
  const add = (command: Command, path: string): void => {
    const help = command.createHelp();
    const commands = help.visibleCommands(command);
    nodes.push({
      path,
      commands: commands.map((sub) => ({ name: sub.name(), description: brief(sub.description()) })),
      flags: help.visibleOptions(command).map(flagOf),
      values: argumentsOf(command),
    });
    for (const sub of command.commands) add(sub, `${path}/${sub.name()}`);
  };
  add(program, "");
  return nodes;
}

const flagOf = (option: Option): Flag => ({
  names: [option.short, option.long].filter((name) => name !== undefined),
  description: brief(option.description),
  values: option.required || option.optional ? (option.argChoices ?? (isFile(option.flags) ? "files" : "free")) : null,
});

function argumentsOf(command: Command): Values {
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  if (choices.length > 0) return choices;
  return command.registeredArguments.some((argument) => isFile(`<${argument.name()}>`)) ? "files" : "free";
}

const isFile = (text: string): boolean => /<(file|plan)>/.test(text);

/** The first sentence, without what shells read as their own. */
const brief = (text: string): string =>
  (text.split(/[.:;] /)[0] ?? "").replace(/[^\w\s,.<>/=()-]/g, "").replace(/\.$/, "");
