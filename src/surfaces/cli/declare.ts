import type { Command } from "commander";
import type { Context } from "./context.ts";
import type { Io } from "./io.ts";

/** The tools for declaring commands. */
export interface Declare {
  readonly io: Io;
  /** Adds the options of commands that call the management API. */
  http(command: Command): Command;
  /** Adds the options of commands that open the store. */
  store(command: Command): Command;
  /** Runs a command with its arguments, then its options. */
  action<A extends unknown[]>(
    run: (context: Context, ...args: A) => Promise<void>,
  ): (...args: unknown[]) => Promise<void>;
}

/** Adds a group of commands to the program. */
export type Register = (program: Command, declare: Declare) => void;
