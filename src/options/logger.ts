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

/** The host's logger as the library calls it. Without one, all but debug lines go to stderr, and under a test runner errors alone. */
export function loggerOf(given: Logger | undefined): Logger {
  if (!given) return underTest() ? errorsToStderr : toStderr;
  return takesFieldsFirst(given) ? fieldsFirst(given) : given;
}

/** pino and bunyan take fields before the message, and drop those after it. */
const takesFieldsFirst = (logger: Logger): boolean =>
  ["bindings", "addSerializers"].some((own) => typeof Reflect.get(logger, own) === "function");

function fieldsFirst(logger: Logger): Logger {
  const as = (level: keyof Logger) => (message: string, fields?: LogFields) => {
    const log = logger[level] as unknown as (...args: unknown[]) => void;
    log.apply(logger, fields ? [fields, message] : [message]);
  };
  return { debug: as("debug"), info: as("info"), warn: as("warn"), error: as("error") };
}
