import { expect, it } from "vitest";
import type { Form } from "../../../../src/model/forms.ts";
import { runs } from "../../../_support/runs.ts";
import { type Site, startPeer, startSite } from "./_peer.ts";

const [peer, failing] = [await startPeer(), await startPeer()];
const HOUR_MS = 60 * 60_000;

/** A number in [0, 1), the same in every run. */
function random(): () => number {
  let state = 20_261_126;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** A post that is sent again until it is answered, under one key, as the browser's script does. */
async function postUntilTaken(site: Site, team: string, form: string, message: string): Promise<number> {
  const body = new URLSearchParams({ message, email: `${message}@visitors.example`, _idempotency_key: message });
  for (let tries = 1; ; tries++) {
    const headers = {
      "x-team": team,
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded",
    };
    const answer = await site
      .fetch(`/forms/f/${form}`, { method: "POST", headers, body: body.toString() })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      // An answer that breaks off is none.
      .catch(() => null);
    if (answer?.status === 200) return tries;
    if (answer) expect([409, 500, 503], answer.text).toContain(answer.status);
    if (tries === 100) throw new Error(`${message} was not taken: ${answer?.status} ${answer?.text}`);
  }
}

it("of the posts of 50 clients none is lost or stored twice while objects are ended at random, and alarms do all that is due", async () => {
  const [posts, teams, ends] = [runs(400, 2_000), runs(2, 4), runs(8, 20)];
  const names = Array.from({ length: teams }, (_, team) => `team-${team}`);
  const next = random();
  const site = await startSite({ bindings: { PEER: peer.url } });
  const call = async <T>(team: string, name: string, ...args: unknown[]): Promise<T> => {
    const response = await site.fetch("/rpc", {
      method: "POST",
      headers: { "x-team": team },
      body: JSON.stringify({ call: name, args }),
    });
    return ((await response.json()) as { value: T }).value;
  };
  const forms = await Promise.all(
    names.map(async (team) => {
      const form = await call<Form>(team, "forms.create", {
        name: "Contact",
        self_email_notification: { enabled: false },
        auto_response: { enabled: true },
      });
      await call(team, "webhooks.create", form.id, { url: `${peer.url}/hook` });
      return form.id;
    }),
  );

  // When the share of a team has come so far, its object is ended.
  const share = posts / teams;
  const due = names.map(() => Array.from({ length: ends }, () => Math.floor(next() * share)).sort((a, b) => a - b));
  const taken = names.map(() => 0);
  let ended = 0;
  let repeats = 0;
  const turns = names.map(() => Promise.resolve());
  const evict = (team: number): Promise<void> => {
    const object = site.object(names[team]);
    const turn = (turns[team] ?? Promise.resolve()).then(async () => {
      ended++;
      await expect(object.evict()).rejects.toThrow("evicted by the test");
      // The next end is that of another object.
      await object.begun();
    });
    turns[team] = turn;
    return turn;
  };
  const numbers = Array.from({ length: posts }, (_, n) => n);
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      for (let n = numbers.shift(); n !== undefined; n = numbers.shift()) {
        const team = n % teams;
        repeats += (await postUntilTaken(site, names[team] ?? "", forms[team] ?? "", `m${n}x`)) - 1;
        taken[team] = (taken[team] ?? 0) + 1;
        while ((due[team]?.[0] ?? posts) < (taken[team] ?? 0)) {
          due[team]?.shift();
          await evict(team);
        }
      }
    }),
  );
  expect([ended, repeats > 0]).toEqual([teams * ends, true]);
  expect(await site.object(names[0]).begun()).toBe(teams + ended);

  // From here on nobody asks the objects for anything.
  const told = (): { hooks: number; mails: number } => ({
    hooks: new Set(peer.hooks.map(({ body }) => /m\d+x/.exec(body)?.[0])).size,
    mails: new Set(peer.mails.map(({ to }) => to)).size,
  });
  await expect.poll(told, { timeout: 300_000, interval: 500 }).toEqual({ hooks: posts, mails: posts });
  const stored = (
    await Promise.all(
      names.map(async (team, n) => call<string>(team, "submissions.export", forms[n], { format: "ndjson" })),
    )
  ).flatMap((text) => [...text.matchAll(/"(m\d+x)"/g)].map(([, message]) => message));
  expect(stored).toHaveLength(posts);
  expect(new Set(stored).size).toBe(posts);
  // A delivery that an end interrupts goes out again, under the same id.
  expect(new Set(peer.hooks.map(({ id }) => id)).size).toBe(posts);
  expect(new Set(peer.mails.map(({ id }) => id)).size).toBe(posts);
}, 900_000);

it("tries again for three days by its alarms alone, whichever object they find, and then gives up", async () => {
  const site = await startSite({ bindings: { PEER: failing.url, SILENT: true } });
  const { value: form } = await site.call<Form>("forms.create", {
    name: "Contact",
    self_email_notification: { enabled: false },
  });
  const { value: hook } = await site.call<{ id: string }>("webhooks.create", form.id, { url: `${failing.url}/hook` });
  const { value: submission } = await site.call<{ id: string }>("submit", form.id, { fields: { message: "late" } });
  const object = site.object();
  Object.assign(failing, { status: 500, tries: 0 });
  let passed = 0;
  let rings = 0;
  const status = async (): Promise<string | undefined> =>
    (await site.call<{ data: { status: string }[] }>("deliveries.list", form.id, hook.id)).value.data[0]?.status;
  while (passed < 74 * HOUR_MS) {
    const step = await object.ring();
    // Always another one, an hour later at most.
    expect(step).not.toBeNull();
    passed += step ?? 0;
    if (rings++ % 10 === 0) await expect(object.evict()).rejects.toThrow();
    if (passed < 70 * HOUR_MS && rings % 20 === 0) expect(await status()).toBe("retrying");
  }
  failing.status = 200;
  expect(rings).toBeLessThan(400);
  // 9 growing waits, then every 8 hours, and a last one at the end of the three days.
  expect(failing.tries).toBeGreaterThanOrEqual(14);
  expect(failing.tries).toBeLessThanOrEqual(20);
  expect([submission.id, await status()]).toEqual([expect.any(String), "failed"]);
}, 180_000);
