import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fsBlob } from "../../blob/fs.ts";
import type { Beside } from "../types.ts";

const MIN_LENGTH = 32;

/** Files next to a database file: `forms.db-files` with uploads, and `forms.db-secret`. They are created at first use. */
export const besideFile = (path: string): Beside => ({
  blob: () => fsBlob({ dir: `${path}-files` }),
  secret: () => secretIn(resolve(`${path}-secret`)),
});

function secretIn(path: string): ReturnType<Beside["secret"]> {
  const made = makeSecret(path);
  const secret = readSecret(path);
  if (secret.length >= MIN_LENGTH) return { secret, path, made };
  throw new Error(
    `[form-backend] "${path}" contains no secret of ${MIN_LENGTH} characters; put the earlier one back, or set the option \`secret\``,
  );
}

function readSecret(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (cause) {
    throw new Error(
      `[form-backend] "${path}", which keeps the secret, can't be read; fix it, or set the option \`secret\``,
      {
        cause,
      },
    );
  }
}

/** False where a secret is there already. The file appears whole, so that a process which starts at the same time reads all of it. */
function makeSecret(path: string): boolean {
  if (existsSync(path)) return false;
  const partial = `${path}.${randomUUID()}`;
  try {
    writeFileSync(partial, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
    linkSync(partial, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw new Error(
      `[form-backend] "${path}", which would keep a secret for development, can't be written; set the option \`secret\``,
      { cause: error },
    );
  } finally {
    rmSync(partial, { force: true });
  }
}
