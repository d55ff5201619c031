/** Exit codes of the command line. */
export const exit = { done: 0, failed: 1, changes: 2, refused: 3, usage: 64 } as const;
export type ExitCode = (typeof exit)[keyof typeof exit];

/** Ends a command with a message for people and an exit code. */
export class Failure extends Error {
  readonly code: ExitCode;

  constructor(message: string, code: ExitCode = exit.failed) {
    super(message);
    this.name = "Failure";
    this.code = code;
  }
}

/** A mistake in the call itself, such as a variable that is not set. */
export const misuse = (message: string): Failure => new Failure(message, exit.usage);

/** Thrown by writes when the reader of standard output is gone, as in `… | head -1`. Not an error. */
export class ReaderGone extends Error {}
