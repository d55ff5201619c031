import { describe, expect, it, onTestFinished } from "vitest";
import type { StorageDriver } from "../../src/drivers/storage/types.ts";
import type { InboxUser } from "../../src/index.ts";
import { type InboxOptions, inbox } from "../../src/surfaces/inbox/index.ts";
import { type TestClock, testClock } from "../../src/surfaces/testing/clock.ts";
import { type Harness, harness } from "./backend.ts";

export const SECOND = 1_000;
const PATIENT_MS = 120_000;

export const person = (name: string, more: Partial<InboxUser> = {}): Partial<InboxUser> => ({
  id: name.toLowerCase(),
  name,
  role: "agent",
  ...more,
});

/** The sentence about others on the page of a submission. */
export const saidBy = (text: string): string =>
  /<span class="grow there" aria-live="polite" aria-atomic="true" data-there="\w+">(.*?)<\/span>/.exec(text)?.[1] ??
  "no place";

interface At extends Harness {
  /** Somebody whom the host knows. */
  as(who: Partial<InboxUser>): {
    get(path: string, headers?: Record<string, string>): Promise<{ status: number; text: string }>;
  };
}

/** A backend whose inbox reads the user from a header. */
function at(storage: StorageDriver, clock: TestClock, options: InboxOptions): At {
  const authenticate = ({ headers }: Request) => JSON.parse(decodeURIComponent(headers.get("x-user") ?? "null"));
  const backend = harness({ storage, clock, rateLimit: false, inbox: inbox({ authenticate, ...options }) });
  return Object.assign(backend, {
    as: (who: Partial<InboxUser>) => ({
      async get(path: string, headers: Record<string, string> = {}) {
        const user = encodeURIComponent(JSON.stringify({ team_ids: ["default"], ...who }));
        const sent = { "sec-fetch-site": "same-origin", "x-user": user, ...headers };
        const response = await backend.handle(new Request(`${backend.baseUrl}/inbox${path}`, { headers: sent }));
        return { status: response.status, text: await response.text() };
      },
    }),
  });
}

/** Two backends as two processes on one store have them, with a form and a submission. */
export async function twoProcesses(storageOf: () => StorageDriver, options: InboxOptions = {}) {
  const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  const storages = [storageOf(), storageOf()] as const;
  const [one, two] = storages.map((storage) => at(storage, clock, options)) as [At, At];
  onTestFinished(async () => {
    await one.close();
    await two.close();
  });
  const { id: form } = await one.forms.create({ name: "Contact" });
  const submit = async () => (await one.submit(form, { fields: { name: "Cy", email: "cy@example.com" } })).id;
  const id = await submit();
  return {
    one,
    two,
    form,
    id,
    submit,
    open: async (process: At, who: Partial<InboxUser>, submission = id) =>
      saidBy((await process.as(who).get(`/f/${form}/s/${submission}`)).text),
    poll: async (process: At, who: Partial<InboxUser>, doing = "looks", submission = id) => {
      const { text } = await process.as(who).get(`/poll?of=${form}&item=${submission}${doing && `&doing=${doing}`}`);
      return JSON.parse(text).there?.[submission]?.says as string | undefined;
    },
    row: async () => {
      const found = (await storages[0].get("marks", ["presence:default"])).get("presence:default");
      return found as { value: { there: { name: string; until: string }[] }; version: number } | undefined;
    },
  };
}

/** The cases that every store has to pass. `storageOf` opens the same store each time. */
export function presenceCases(fresh: () => () => StorageDriver): void {
  describe("others at a submission", () => {
    it("are named by another process, with what they do, until a minute after they said so", {
      timeout: PATIENT_MS,
    }, async () => {
      const { one, two, open, poll, row } = await twoProcesses(fresh());
      const [anna, ben] = [person("Anna"), person("Ben")];
      expect(await open(one, anna)).toBe("");
      expect(await open(two, ben)).toBe("Anna is looking at this");
      expect(await poll(one, anna, "answers")).toBe("Ben is looking at this");
      expect(await poll(two, ben)).toBe("Anna is writing an answer");
      await poll(one, anna, "notes");
      expect(await poll(two, ben)).toBe("Anna is writing a note");
      await one.clock.advance(59 * SECOND);
      expect(await poll(two, ben)).toBe("Anna is writing a note");
      await one.clock.advance(SECOND);
      expect(await poll(two, ben)).toBeUndefined();
      // A page that nobody sees asks, and says nothing.
      expect(await poll(one, anna, "")).toBe("Ben is looking at this");
      expect(await poll(two, ben)).toBeUndefined();
      await one.clock.advance(2 * 3_600 * SECOND);
      await one.sweep();
      expect(await row()).toBeUndefined();
    });

    it("keep every person when all arrive at once, up to the limit of a team", { timeout: PATIENT_MS }, async () => {
      const { one, two, open, row } = await twoProcesses(fresh());
      await Promise.all(Array.from({ length: 8 }, (_, at) => open(at % 2 ? one : two, person(`Person ${at}`))));
      expect((await row())?.value.there.map(({ name }) => name).sort()).toEqual(
        Array.from({ length: 8 }, (_, at) => `Person ${at}`),
      );
      const said = await open(one, person("Zoe"));
      expect(said).toBe("Person 0, Person 1, Person 2, and 5 others are looking at this");
    });
  });
}
