// @ts-check
import { Router, raw } from "express";
import { verifyWebhook } from "form-backend";
import { openFolder } from "./folder.mjs";
import { webhooksPage } from "./pages.mjs";

/**
 * Receives webhooks, as another application would, and shows what came.
 * @typedef {{ at: string, id: string, error: string | null, body: string }} Received
 * @param {{ dir: string, secret: () => string, offline: () => boolean }} options
 */
export async function webhookReceiver({ dir, secret, offline }) {
  const folder = await openFolder(dir, ".json");
  /** @returns {Promise<Received[]>} */
  const received = async (limit = 100) => {
    const ids = await folder.ids(limit);
    return Promise.all(ids.map(async (id) => JSON.parse((await folder.read(id)).toString())));
  };
  // A delivery may arrive twice, when our answer was lost on the way: its webhook-id is the same, and it counts once.
  const seen = new Set((await received(1000)).filter(({ error }) => !error).map(({ id }) => id));

  const router = Router();

  // The signature covers the bytes as they were sent, so the body must not be parsed before it is verified.
  router.post("/", raw({ type: () => true, limit: "2mb" }), async (req, res) => {
    if (offline()) return res.sendStatus(503);
    const delivery = { at: new Date().toISOString(), id: req.get("webhook-id") ?? "", body: String(req.body ?? "") };
    try {
      verifyWebhook(req.body, req.headers, secret());
    } catch (error) {
      await folder.add(JSON.stringify({ ...delivery, error: error instanceof Error ? error.message : String(error) }));
      return res.sendStatus(401);
    }
    if (!seen.has(delivery.id)) await folder.add(JSON.stringify({ ...delivery, error: null }));
    seen.add(delivery.id);
    return res.sendStatus(204); // any 2xx says: it is ours now, don't send it again
  });

  router.get("/", async (_req, res) => void res.send(webhooksPage(await received())));

  return router;
}
