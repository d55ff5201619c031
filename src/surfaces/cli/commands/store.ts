import type { Register } from "../declare.ts";
import { databaseOf } from "../drivers.ts";
import { Failure } from "../failure.ts";
import { progress } from "../progress.ts";
import { withStore } from "../store.ts";

/** `migrate` and `secrets reseal`. */
export const storeCommands: Register = (program, { store, action }) => {
  store(program.command("migrate").description("Create or upgrade the tables of the store."))
    .option("--print", "print the SQL for the database of DATABASE_URL, or for a SQLite file, and change nothing")
    .action(
      action(async ({ io, json, show, say }, { print }: { print?: boolean }) => {
        if (print) {
          const database = databaseOf(io.env) ?? "sqlite";
          const { placeOf, printedSchema } = await import("../../../drivers/storage/_schema/print.ts");
          const sql = printedSchema({ tool: "sql", database, place: placeOf(database) });
          await (json ? show({ sql }) : io.out(sql));
          return;
        }
        await withStore(io, { create: true }, async (_, { place }) => {
          if (json) await show({ migrated: place });
          else say(`The tables in ${place} are up to date.`);
        });
      }),
    );

  const secrets = program.command("secrets").description("Manage the secrets in the store.");
  store(
    secrets
      .command("reseal")
      .description(
        "Encrypt stored secrets again, with the first of FORM_BACKEND_SECRET. Afterwards, remove the others from it.",
      ),
  ).action(
    action(({ io, show, say }) =>
      withStore(io, { create: false }, async (backend) => {
        const line = progress(io, "forms and email servers");
        const result = await backend.secrets
          .reseal({
            onProgress(seen) {
              io.signal.throwIfAborted();
              line.update(String(seen));
            },
          })
          .finally(() => line.end());
        await show(result);
        if (result.left > 0) {
          throw new Failure(
            `${result.left} secrets can't be decrypted with any in FORM_BACKEND_SECRET. Add the one that encrypted them.`,
          );
        }
        say("All stored secrets are encrypted with the first in FORM_BACKEND_SECRET.");
      }),
    ),
  );
};
