// What ten webhooks of a form cost a post, beside one; and a back-test of spam settings over 2,000 submissions.
import { join } from "node:path";
import { startApp } from "./processes.mjs";
import { compare, marked, median } from "./table.mjs";

const POSTS = 500;
const SUBMISSIONS = 2_000;

export async function benchWebhooks({ dir, rounds }) {
  const app = await startApp("webhooks.mjs", { ENGINE: "sqlite", DATABASE: join(dir, "webhooks.db") });
  const found = { 1: [], 10: [] };
  const cpu = { 1: [], 10: [] };
  const tests = [];
  try {
    for (let round = -1; round < Math.max(rounds, Math.ceil(SUBMISSIONS / POSTS)); round++) {
      for (const webhooks of [1, 10]) {
        const taken = await app.during(() => app.ask("posts", webhooks, POSTS));
        // The first round warms up.
        if (round < 0) continue;
        found[webhooks].push(taken.answer / POSTS);
        cpu[webhooks].push(taken.cpu / 1_000 / POSTS);
      }
    }
    for (let run = 0; run <= rounds; run++) {
      const test = await app.ask("backtest", SUBMISSIONS);
      if (test.checked !== SUBMISSIONS) throw new Error(`the back-test looked at ${test.checked} submissions`);
      if (run > 0) tests.push(test);
    }
  } finally {
    await app.stop();
  }
  const spent = median(tests.map((one) => one.cpu));
  const turn = median(tests.map((one) => one.turn));
  return [
    compare("A post with ten webhooks, ms", found[10], "one webhook", found[1], 2),
    compare("A post with ten webhooks, ms of CPU", cpu[10], "one webhook", cpu[1], 2),
    {
      what: "Back-test of 2,000 submissions, ms of CPU",
      ours: spent.toFixed(0),
      ...marked(spent, { most: 2_000 }, " ms"),
    },
    {
      what: "Back-test of 2,000 submissions, longest turn, ms",
      ours: turn.toFixed(1),
      ...marked(turn, { most: 20 }, " ms"),
    },
  ];
}
