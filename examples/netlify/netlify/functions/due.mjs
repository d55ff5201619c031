// @ts-check
// Tries failed deliveries again every minute, and removes expired data every hour. Netlify gives no address to a function with a schedule.
import { backend } from "../../forms.mjs";

export default async () => {
  await backend.tick();
  if (new Date().getUTCMinutes() === 0) await backend.sweep();
};

export const config = { schedule: "* * * * *" };
