// Posts and deliveries at once in one process on SQLite: 20 clients post without a pause, and a webhook is called for each post.
import { join } from "node:path";
import { load, startApp } from "./processes.mjs";
import { marked, note } from "./table.mjs";

const CLIENTS = 20;
/** The heap of the first part is that of a process that is still warming up. */
const PARTS = 4;

export async function benchMixed({ dir, mixed: seconds }) {
  const receiver = await startApp("receiver.mjs", {});
  const app = await startApp("mixed.mjs", { DATABASE: join(dir, "mixed.db"), RECEIVER: receiver.url });
  try {
    await load(dir, app.url, CLIENTS, 1);
    await receiver.ask("received");
    let posts = 0;
    let calls = 0;
    let slowest = 0;
    const heaps = [];
    for (let part = 0; part < PARTS; part++) {
      const { requests, max } = await load(dir, app.url, CLIENTS, Math.ceil(seconds / PARTS));
      const delivered = (await receiver.ask("received")).calls;
      posts += requests;
      calls += delivered;
      slowest = Math.max(slowest, max);
      heaps.push((await app.ask("heap")) / 1024 / 1024);
      note(
        `  mixed ${part + 1}/${PARTS}: ${requests} posts, ${delivered} deliveries, slowest ${max} ms, ${heaps.at(-1).toFixed(1)} MB`,
      );
    }
    const share = calls / posts;
    const growth = heaps.at(-1) / heaps[1];
    return [
      {
        what: "Mixed load on SQLite: deliveries/s ÷ posts/s",
        ours: (calls / seconds).toFixed(0),
        beside: `posts ${(posts / seconds).toFixed(0)}`,
        ratio: share.toFixed(2),
        ...marked(share, { least: 0.7 }),
      },
      {
        what: "Mixed load on SQLite: slowest post, ms",
        ours: slowest.toFixed(0),
        ...marked(slowest, { most: 200 }, " ms"),
      },
      {
        what: "Mixed load on SQLite: heap after a collection, MB",
        ours: heaps.at(-1).toFixed(1),
        beside: `after a half ${heaps[1].toFixed(1)}`,
        ratio: growth.toFixed(2),
        ...marked(growth, { most: 1.1 }),
      },
    ];
  } finally {
    await app.stop();
    await receiver.stop();
  }
}
