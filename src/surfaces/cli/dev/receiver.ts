import type { IncomingHttpHeaders } from "node:http";
import { errorMessage } from "../../../lib/message.ts";
import { verifyWebhook } from "../../api/verify-webhook.ts";
import type { Folder } from "./folder.ts";

/** A webhook request that arrived. */
export interface Received {
  readonly at: string;
  readonly id: string;
  /** The reason why it is not genuine; null if it is. */
  readonly error: string | null;
  readonly body: string;
}

/** The other application: verifies and keeps webhooks. Returns the status of the response. */
export async function receiverIn(folder: Folder<Received>, secret: string) {
  // A delivery may arrive twice, when the response was lost: its id is the same, and it counts once.
  const seen = new Set((await folder.newest(1_000)).filter(({ item }) => !item.error).map(({ item }) => item.id));
  return async (body: Buffer, headers: IncomingHttpHeaders): Promise<number> => {
    const received = { at: new Date().toISOString(), id: String(headers["webhook-id"] ?? ""), body: body.toString() };
    try {
      verifyWebhook(body, headers, secret);
    } catch (error) {
      await folder.add({ ...received, error: errorMessage(error) });
      return 401;
    }
    if (!seen.has(received.id)) await folder.add({ ...received, error: null });
    seen.add(received.id);
    return 204;
  };
}
