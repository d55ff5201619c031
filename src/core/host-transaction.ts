import type { StorageDriver, Transaction } from "../drivers/storage/types.ts";
import type { Core } from "./core.ts";

/** The way to write in a transaction of the host. */
export type Within = ReturnType<NonNullable<StorageDriver["within"]>>;

/** Joins a transaction of the host; `call` is the name of its call, for the error. Throws a `TypeError` if the store can't join it. */
export function joinTransaction({ storage }: Core, tx: Transaction, call: string): Within {
  if (storage.within) return storage.within(tx);
  throw new TypeError(
    `[form-backend] ${call}: the store "${storage.name}" can't be part of a transaction of yours; use postgresStorage, mysqlStorage, sqliteStorage or libsqlStorage, or leave \`tx\` out`,
  );
}
