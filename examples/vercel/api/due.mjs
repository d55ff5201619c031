// @ts-check
// Tries failed deliveries again, and removes expired data. Vercel calls it as vercel.json says, and sends CRON_SECRET by itself.
import { backend } from "../forms.mjs";

export async function GET(/** @type {Request} */ request) {
  const { CRON_SECRET } = process.env;
  if (!CRON_SECRET || request.headers.get("authorization") !== `Bearer ${CRON_SECRET}`)
    return new Response(null, { status: 401 });
  const { ran } = await backend.tick();
  if (new Date().getUTCMinutes() === 0) await backend.sweep();
  return Response.json({ ran });
}
