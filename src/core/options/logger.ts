import { describe } from "../../lib/message.ts";
import { underTest } from "./under-test.ts";

/** Fields of a log line, for loggers that keep more than text. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The library's log: a sentence, and the same information as fields. `console`, pino and winston fit. */
export interface Logger {
  /** Details, such as each refused post. */
  debug(message: string, fields?: LogFields): void;
  /** The usual course, such as each accepted post. */
  info(message: string, fields?: LogFields): void;
  /** Something that needs a look. */
  warn(message: string, fields?: LogFields): void;
  /** Something that fails. */
  error(message: string, fields?: LogFields): void;
}

const stderr = (level: string) => (message: string) =>
  void process.stderr.write(`[form-backend] ${level}: ${message}\n`);

const toStderr: Logger = { debug: () => {}, info: stderr("info"), warn: stderr("warn"), error: stderr("error") };
/** Tests make deliveries fail on purpose; a line for each would bury their own output. */
const errorsToStderr: Logger = { ...toStderr, info: () => {}, warn: () => {} };

/**
 * The host's logger as the library calls it. Without one, all but debug lines go to stderr, and under a test runner errors alone. A
 * logger that throws or rejects fails no post and no delivery: its lines go to stderr.
 */
export function loggerOf(given: Logger | undefined): Logger {
  if (!given) return underTest() ? errorsToStderr : toStderr;
  const fieldsFirst = takesFieldsFirst(given);
  let reported = false;
  const failed = (level: keyof Logger, message: string, error: unknown): void => {
    if (!reported) toStderr.error(`the option \`logger\` failed, so its lines come here: ${describe(error)}`);
    reported = true;
    toStderr[level](message);
  };
  const as = (level: keyof Logger) => (message: string, fields?: LogFields) => {
    const log = given[level] as (...args: unknown[]) => unknown;
    const line = fields ? [message, fields] : [message];
    try {
      const logged = log.apply(given, fieldsFirst ? line.reverse() : line);
      if (logged instanceof Promise) logged.catch((error: unknown) => failed(level, message, error));
    } catch (error) {
      failed(level, message, error);
    }
  };
  return { debug: as("debug"), info: as("info"), warn: as("warn"), error: as("error") };
}

/** pino and bunyan take fields before the message, and drop those after it. */
const takesFieldsFirst = (logger: Logger): boolean =>
  ["bindings", "addSerializers"].some((own) => typeof Reflect.get(logger, own) === "function");
