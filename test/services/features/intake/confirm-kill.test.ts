import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { createTestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { bundle } from "../../../_support/bundle.ts";
import { freePort } from "../../../_support/port.ts";
import { startSmtpServer } from "../../../_support/smtp.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";

const POSTS = 24;
const KILLS = 6;

it(`${POSTS} confirmations through ${KILLS} kill -9: each submission is stored once, with its deliveries once`, async () => {
  const path = join(temporaryDirectory(), "forms.db");
  const smtp = await startSmtpServer();
  onTestFinished(() => smtp.close());
  const script = await bundle("test/services/features/intake/_confirm-app.ts");
  const port = await freePort();
  const env = { ...process.env, NODE_ENV: "production", PORT: String(port), DATABASE: path, SMTP: smtp.url };
  let app = await start();
  const ids: string[] = [];
  for (let n = 0; n < POSTS; n++) {
    const body = new URLSearchParams({ email: `sender${n}@example.com` });
    const answer = await fetch(app.endpoint, { method: "POST", body, headers: { accept: "application/json" } });
    ids.push(((await answer.json()) as { submission_id: string }).submission_id);
  }
  await expect.poll(() => smtp.messages.length, { timeout: 30_000 }).toBe(POSTS);
  const links = smtp.messages.map(({ text }) => /https?:\S+\/c\/\S+/.exec(text ?? "")?.[0] ?? "");

  const press = (link: string) =>
    fetch(link, { method: "POST" }).then(
      (response) => response.status,
      () => 0,
    );
  for (let round = 0; round < KILLS; round++) {
    // Two presses of each link are on their way when the process dies, a little later each time.
    const some = links.slice((round * POSTS) / KILLS, ((round + 1) * POSTS) / KILLS);
    const presses = some.flatMap((link) => [press(link), press(link)]);
    if (round % 2 === 0) await Promise.race(presses);
    app.child.kill("SIGKILL");
    await Promise.all(presses);
    app = await start();
  }
  for (const link of links) expect(await press(link)).toBe(200);
  app.child.kill("SIGKILL");
  await once(app.child, "exit");

  // Three hours on: the leases of what was just being sent have ended.
  const mailer = memoryMailer();
  const clock = testClock(Date.now() + 3 * 60 * 60_000);
  const backend = createTestBackend({
    baseUrl: `http://127.0.0.1:${port}/forms`,
    storage: sqliteStorage({ path }),
    mailer,
    clock,
  });
  onTestFinished(() => backend.close());
  await backend.tick();
  const owned = [
    ...smtp.messages.filter(({ to }) => to[0]?.address === "owner@example.com").map(({ messageId }) => messageId),
    ...mailer.sent.filter(({ to }) => to.address === "owner@example.com").map(({ messageId }) => messageId),
  ].map((messageId) => messageId?.replace(/[<>]/g, ""));
  // A mail whose answer was lost in a kill is sent again, as itself.
  expect(new Set(owned).size).toBe(POSTS);
  const [form] = (await backend.forms.list()).data;
  const { data } = await backend.submissions.list(form?.id ?? "", { limit: 100 });
  expect(data.map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect((await backend.submissions.count(form?.id ?? "", { status: "pending" })).count).toBe(0);
  expect(form?.submissions.all_time).toBe(POSTS);
  const jobs = await backend.jobs.list({ form_id: form?.id ?? "" });
  const kinds = jobs.map(({ kind, submission_id }) => `${kind} ${submission_id}`);
  expect(kinds.sort()).toEqual(ids.flatMap((id) => [`confirmation ${id}`, `owner_email ${id}`]).sort());

  async function start(): Promise<{ child: ChildProcess; endpoint: string }> {
    const child = fork(script, { env, stdio: ["ignore", "inherit", "inherit", "ipc"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [endpoint] = (await once(child, "message")) as [string];
    return { child, endpoint };
  }
}, 240_000);
