import { randomBytes } from "node:crypto";
import type { Beside } from "../../drivers/storage/types.ts";
import { type Secret, toSecret } from "../../lib/secrets.ts";
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
  return () => {
    if (known) return known;
    if (listed[0] !== undefined) checkRandom(listed[0], logger);
    known = (listed.length > 0 ? listed : [madeUp(beside, logger)]).map(toSecret);
    return known;
  };
}

/** The least number of different characters: 32 random digits have fewer only once in ten million times. */
const DIFFERENT = 6;

/** A repeated character is long, and guessed at once. Only the first of a list seals and signs: older ones may stay behind it. */
function checkRandom(secret: string, logger: Logger): void {
  if (new Set(secret).size >= DIFFERENT) return;
  const message =
    "option `secret`: it has fewer than 6 different characters, so it can be guessed; set the result of `openssl rand -hex 32`, with the present one behind it in a list while data depends on it";
  if (process.env["NODE_ENV"] === "production") throw new TypeError(`[form-backend] ${message}`);
  if (!underTest()) logger.warn(message);
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
