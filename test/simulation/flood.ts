import { BASE_URL, type Running, STILL_MS, type System, textOf } from "./system.ts";
import type { World } from "./world.ts";

/** Posts of the team that floods. More than a group of the store's commits takes, and than a dozen rounds of the places for webhooks. */
const POSTS = 48;
const COMMIT_MS = 500;
/** A group that is under way, and the next one. */
const MOST_COMMITS_MS = 2 * COMMIT_MS + 100;
/** Two of four places are free: it takes no more than a way to the worker and back. */
const MOST_WAIT_MS = 15_000;

const NOISY = "team-noisy";
/** Their submissions count in no other team's month. */
export const floodTeams: readonly string[] = [NOISY, "team-quiet"];

/**
 * One team's posts come all at once, to a webhook that answers after ten seconds each. The single visitor of another team is answered
 * after the next commit, and its webhook called at once.
 */
export async function flood(world: World, system: System, host: Running, say: (violation: string) => void) {
  const [noisy, quiet] = await system.inside(host, (backend) =>
    Promise.all(
      floodTeams.map(async (team) => {
        await backend.teams.create({ id: team, name: team, plan: "large", owner: { email: `${team}@example.org` } });
        const form = await backend.forms.create(
          { name: team, self_email_notification: { enabled: false } },
          { team_id: team },
        );
        const path = team === NOISY ? "slow" : "quiet";
        await backend.webhooks.create(form.id, { url: `https://hooks.example.com/${path}` });
        return form.id;
      }),
    ),
  );
  // A claim of a process that has ended may still be on its way, and would keep a job of theirs for the time of its lease.
  await world.pause(STILL_MS);
  const one = await system.start({ isNarrow: true });
  await system.inside(one, (backend) => backend.ready());
  system.store.commitMs = COMMIT_MS;
  world.note("a team floods all others");
  const sent = Array.from({ length: POSTS }, (_, n) => post(system, one, noisy, `flood-${n}-word`));
  await world.pause(COMMIT_MS / 2);
  const begun = world.now();
  await post(system, one, quiet, "quiet-word");
  const answered = world.now();
  if (answered - begun > MOST_COMMITS_MS)
    say(`a visitor of one team waited ${answered - begun} ms for a store that another team flooded`);
  await world.pause(MOST_WAIT_MS);
  const taken = system.outside.hooks.find(({ to }) => to === "/quiet");
  if (!taken) say(`a webhook of one team waited ${MOST_WAIT_MS} ms for the deliveries of another one`);
  await Promise.all(sent);
  system.store.commitMs = 0;
  await system.stop(one);
}

async function post(system: System, one: Running, form: string | undefined, word: string): Promise<void> {
  const { status, text } = await system.inside(one, async (backend) => {
    const request = new Request(`${BASE_URL}/f/${form}`, {
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ message: word }).toString(),
    });
    const response = await backend.handle(request, { ip: "203.0.113.7" });
    return { status: response.status, text: await textOf(response) };
  });
  if (status !== 200) throw new Error(`a post in the flood got ${status} ${text}`);
}
