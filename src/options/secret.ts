import { randomBytes } from "node:crypto";
import type { Beside } from "../drivers/storage/types.ts";
import { type Secret, toSecret } from "../lib/secrets.ts";
import type { Logger } from "./types.ts";
import { underTest } from "./under-test.ts";

/**
 * The option `secret`, read at first use: a build evaluates the app's module in production, without its secrets. The returned
 * function throws a TypeError if production has none.
 */
export function secretsOf(
  given: string | readonly string[] | undefined,
  beside: Beside | undefined,
  logger: Logger,
): () => readonly Secret[] {
  const listed = [given ?? []].flat().filter((text) => text !== "");
  let known: readonly Secret[] | undefined;
  return () => (known ??= (listed.length > 0 ? listed : [madeUp(beside, logger)]).map(toSecret));
}

function madeUp(beside: Beside | undefined, logger: Logger): string {
  if (process.env["NODE_ENV"] === "production") {
    throw new TypeError(
      "[form-backend] option `secret`: required when NODE_ENV is production; set it to at least 32 random characters and keep it",
    );
  }
  if (beside) {
    const { secret, path, made } = beside.secret();
    if (made && !underTest()) {
      logger.info(`no \`secret\` is set, so "${path}" keeps one for development; production accepts only the option`);
    }
    return secret;
  }
  if (!underTest()) {
    logger.warn("no `secret` is set, so one was made up: stored secrets and signed links end with this process");
  }
  return randomBytes(32).toString("hex");
}
