import { randomBytes } from "node:crypto";
import type { Beside } from "../../drivers/storage/types.ts";
import { type Secret, toSecret } from "../../lib/secrets.ts";
import type { Logger } from "./types.ts";

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
      "[form-backend] option `secret`: required when NODE_ENV is production; set it to at least 32 random characters, and never change it",
    );
  }
  if (beside) {
    const { secret, path, made } = beside.secret();
    if (made) {
      logger.info(`no \`secret\` is set, so the one in "${path}" is used; set the option before you go to production`);
    }
    return secret;
  }
  logger.warn(
    "no `secret` is set, so a temporary one is used. Webhook secrets, captcha keys and file links stop working after a restart. " +
      "Run `openssl rand -hex 32` and set the option to the result",
  );
  return randomBytes(32).toString("hex");
}
