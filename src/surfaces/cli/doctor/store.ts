import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { errorMessage } from "../../../lib/message.ts";
import type { Findings } from "../../../lib/sender-dns/finding.ts";
import { databaseUrl, driversOf, FOLDER, redisClient } from "../drivers.ts";
import { bucketOf, secretOf, variable } from "../environment.ts";
import type { Checker } from "./checker.ts";
import { findClock } from "./clock.ts";

/** True where `serve` would find a store. */
export const hasStore = ({ env, cwd }: Checker["io"]): boolean =>
  variable(env, "DATABASE_URL") !== undefined || existsSync(join(resolve(cwd, FOLDER), "forms.db"));

/** The secret, the store and its clock, the bucket and Redis. */
export async function checkStore({ io, check }: Checker): Promise<void> {
  const { env } = io;
  await check("secret", (find) => checkSecret(find, io));
  if (!hasStore(io)) {
    await check("storage", async (find) =>
      find.skipped("There is no store here.", "Run doctor in the folder of serve, or set DATABASE_URL."),
    );
  } else {
    let times: [there: number, here: number] | undefined;
    await check("storage", async (find) => {
      times = await roundTrip(io, find);
    });
    const [there, here] = times ?? [];
    if (there !== undefined && here !== undefined) {
      await check("store's clock", (find) => findClock(find, "The store's clock", there, here));
    }
  }
  const s3 = variable(env, "S3_URL");
  if (s3 !== undefined) await check("S3", (find) => checkBucket(s3, find));
  const redis = variable(env, "REDIS_URL");
  if (redis !== undefined) await check("Redis", (find) => checkRedis(redis, find));
}

async function checkSecret(find: Findings, io: Checker["io"]): Promise<void> {
  const secrets = secretOf(io.env);
  if (!secrets) {
    return existsSync(join(resolve(io.cwd, FOLDER), "forms.db-secret"))
      ? find.ok("A file next to the database contains one.")
      : find.skipped("FORM_BACKEND_SECRET is not set.", "Set it to the value that serve has.");
  }
  const [secret = ""] = secrets;
  if (new Set(secret).size < 10) {
    return find.warning(
      "FORM_BACKEND_SECRET can be guessed: it repeats a few characters.",
      "Put a new one in front, separated by a comma (openssl rand -hex 32), and run: form-backend secrets reseal",
    );
  }
  const older = secrets.length > 1 ? `, and ${secrets.length - 1} more for older data` : "";
  find.ok(`FORM_BACKEND_SECRET has ${secret.length} characters${older}.`);
}

/** Writes, reads and removes a row. Returns the store's time, and ours at the same moment. */
async function roundTrip(io: Checker["io"], find: Findings): Promise<[there: number, here: number] | undefined> {
  databaseUrl(io.env);
  const { options, place, close } = await driversOf(io, { create: false });
  const { storage } = options;
  if (!storage) return;
  try {
    await storage.open();
    const id = `doctor:${crypto.randomUUID()}`;
    const began = performance.now();
    // With an end, the row goes even if this process is killed before it removes it.
    const value = { expires_at: new Date(io.now() + 60_000).toISOString() };
    await storage.commit([{ op: "put", collection: "marks", id, value, expect: null }]);
    const found = (await storage.get("marks", [id])).has(id);
    await storage.commit([{ op: "remove", collection: "marks", id }]);
    if (found) find.ok(`${place} wrote, read and removed a row in ${Math.ceil(performance.now() - began)} ms.`);
    else
      find.failed(`${place} does not return what it stores.`, "Set DATABASE_URL to the primary, and not to a replica.");
    const before = io.now();
    const { now } = await storage.claim({ lane: "webhook", leaseMs: 1_000, limit: 0, exclude: [], perTarget: 1 });
    return [now, (before + io.now()) / 2];
  } catch (error) {
    const reason = errorMessage(error);
    const todo =
      variable(io.env, "DATABASE_URL") === undefined
        ? "Check the owner and the rights of the file and its folder, and the space on the disk."
        : "Check DATABASE_URL, that this machine can connect to the host, and the rights of the user.";
    find.failed(`${place} can't be used: ${reason.replace(/[.\s]+$/, "")}.`, todo);
    return undefined;
  } finally {
    await storage.close().catch(() => {});
    await close().catch(() => {});
  }
}

async function checkBucket(url: string, find: Findings): Promise<void> {
  const { s3Blob } = await import("../../../drivers/blob/s3.ts");
  const blob = s3Blob(bucketOf(url));
  const key = `doctor-${crypto.randomUUID()}`;
  const began = performance.now();
  try {
    await blob.put(key, new Blob(["form-backend"]).stream(), { mimeType: "text/plain" });
    const back = await blob.get(key);
    const same = back !== null && (await new Response(back).text()) === "form-backend";
    await blob.remove(key);
    if (same) find.ok(`The bucket wrote, read and removed a file in ${Math.ceil(performance.now() - began)} ms.`);
    else find.failed("The bucket does not return what it stores.", "Check S3_URL.");
  } catch (error) {
    find.failed(
      `The bucket can't be used: ${(error as Error).message.replace(/[.\s]+$/, "")}.`,
      "Check S3_URL, and that its key may put, get and delete objects.",
    );
  } finally {
    await blob.close();
  }
}

async function checkRedis(url: string, find: Findings): Promise<void> {
  const client = await redisClient(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 10_000 });
  try {
    await client.connect();
    await client.ping();
    find.ok("Redis accepts the connection.");
  } catch (error) {
    find.failed(
      `Redis can't be used: ${(error as Error).message.replace(/[.\s]+$/, "")}.`,
      "Check REDIS_URL, and that this machine can connect to it.",
    );
  } finally {
    client.disconnect();
  }
}
