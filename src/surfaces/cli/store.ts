import { asCommandLine } from "../../model/program-way.ts";
import type { Logger } from "../api/kernel.ts";
import { createFormBackend, type FormBackend } from "../form-backend.ts";
import { type Drivers, databaseUrl, driversOf } from "./drivers.ts";
import { secretOf, settingsOf } from "./environment.ts";
import type { Io } from "./io.ts";

/** A logger that says only what went wrong. */
export const quiet = (io: Io): Logger => {
  const line = (level: string) => (message: string) => io.err(`${level}: ${message}\n`);
  return { debug() {}, info() {}, warn: line("warning"), error: line("error") };
};

/**
 * Opens the store that `serve` opens, with its files but without work or mail, and closes it after `use`. With `create: false`,
 * throws if there is no database yet.
 */
export async function withStore<T>(
  io: Io,
  { create }: { create: boolean },
  use: (backend: FormBackend, drivers: Drivers) => Promise<T>,
): Promise<T> {
  databaseUrl(io.env);
  const secret = secretOf(io.env);
  const drivers = await driversOf(io, { create, servers: ["S3_URL"] });
  const options = asCommandLine({
    baseUrl: "http://localhost:3000",
    ...settingsOf(io.env),
    ...(secret && { secret }),
    ...drivers.options,
    logger: quiet(io),
    verify: false,
    work: false,
  });
  const backend = createFormBackend(options);
  try {
    await backend.ready();
    return await use(backend, drivers);
  } finally {
    await backend.close();
    await drivers.close();
  }
}
