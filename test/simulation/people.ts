import { StoreDownError } from "../../src/drivers/storage/types.ts";
import type { ApiError } from "../../src/errors.ts";
import type { Random } from "./random.ts";
import type { Part, Setting } from "./setting.ts";
import { Reset, type Running, type System } from "./system.ts";
import type { Forms, Post } from "./visitors.ts";
import type { World } from "./world.ts";

/** The acts of people of the team and of the host, as far as an answer confirmed them. */
export interface Acts {
  /** Submissions that are gone, by an answer. */
  readonly deleted: Set<string>;
  /** Submissions whose deletion was asked for, with an answer or without; those in the trash are among them. */
  readonly tried: Set<string>;
  /** Addresses of people whose erasure was answered, with no request of theirs under way when it began. */
  readonly erased: Set<string>;
  /** Addresses of people whose data somebody began to erase, whatever came of it. */
  readonly erasing: Set<string>;
  /** Kinds of acts that were tried. */
  readonly kinds: Set<string>;
  /** Answers to visitors, by their idempotency key: the id that an answer named. */
  readonly answers: Map<string, string>;
}

export const newActs = (): Acts => ({
  deleted: new Set(),
  tried: new Set(),
  erased: new Set(),
  erasing: new Set(),
  kinds: new Set(),
  answers: new Map(),
});

type Backend = Running["backend"];
interface Chosen {
  readonly backend: Backend;
  readonly form: string;
  readonly id: string;
  readonly all: readonly string[];
  readonly acts: Acts;
  readonly posts: readonly Post[];
  readonly random: Random;
  readonly n: number;
}
type Act = (chosen: Chosen) => Promise<unknown>;

const PERSON = { id: "7", name: "Ann" };

/** Acts by the part of life that they belong to. */
const acts: Readonly<Record<"always" | Extract<Part, "work" | "talk" | "erasure">, Readonly<Record<string, Act>>>> = {
  always: {
    spam: ({ backend, form, id }) => backend.submissions.update(form, id, { spam: true }),
    ham: ({ backend, form, id }) => backend.submissions.update(form, id, { spam: false }, { deliver: true }),
    read: ({ backend, form, id }) => backend.submissions.update(form, id, { read: true }),
    unread: ({ backend, form, id }) => backend.submissions.update(form, id, { read: false }),
    "read all": ({ backend, form, all }) => backend.submissions.bulk(form, { action: "mark_read", ids: [...all] }),
    async delete({ backend, form, id, acts }) {
      acts.tried.add(id);
      await backend.submissions.delete(form, id);
      acts.deleted.add(id);
    },
  },
  work: {
    done: ({ backend, form, id }) => backend.submissions.update(form, id, { state: "done" }),
    assign: ({ backend, form, id }) => backend.submissions.update(form, id, { assignee: PERSON, labels: ["urgent"] }),
    reopen: ({ backend, form, all }) => backend.submissions.bulk(form, { action: "reopen", ids: [...all] }),
    note: ({ backend, form, id }) => backend.submissions.addNote(form, id, { text: "Called back.", author: PERSON }),
    async trash({ backend, form, id, acts, random }) {
      acts.tried.add(id);
      await backend.submissions.delete(form, id, { trash: true });
      // A wrong click, mended at once.
      if (random.chance(0.5)) {
        acts.kinds.add("restore");
        await backend.submissions.bulk(form, { action: "restore", ids: [id] });
      }
    },
    restore: ({ backend, form, acts }) =>
      backend.submissions.bulk(form, { action: "restore", ids: [...acts.tried].filter((id) => !acts.deleted.has(id)) }),
  },
  talk: {
    async answer({ backend, form, id, acts, n, random }) {
      const key = `answer-${n}`;
      const text = `Thank you, number ${n}.`;
      const send = async (): Promise<void> => {
        const message = await backend.messages.send(form, id, { text, idempotency_key: key });
        acts.answers.set(key, message.id);
      };
      await (random.chance(0.3) ? Promise.all([send(), send()]) : send());
    },
  },
  erasure: {
    async erase({ backend, acts, posts, random }) {
      const over = posts.filter(({ isOver }) => isOver);
      if (over.length === 0) return;
      const { email, form, ids, underWay } = random.pick(over);
      for (const id of ids) acts.tried.add(id);
      // The submission is gone before, and the log of its deliveries names the person still.
      if (random.chance(0.5)) {
        for (const id of ids) await backend.submissions.delete(form, id);
        for (const id of ids) acts.deleted.add(id);
      }
      acts.erasing.add(email);
      await backend.dataSubjects.erase({ email, team_id: "default" });
      // A request that its visitor gave up may be stored later, as a post of tomorrow may: an erasure speaks of what is there.
      if (underWay === 0) acts.erased.add(email);
    },
  },
};

/** One act of a person of the team, on a submission that is there. */
export async function act({ world, system, setting, forms, posts }: Scene, done: Acts, n: number): Promise<void> {
  const random = world.random.fork(`act${n}`);
  const all = system.running();
  if (all.length === 0) return;
  const one = random.pick(all);
  const form = random.pick([forms.plain, forms.places, forms.unique, forms.reply]);
  const table = Object.entries(acts).flatMap(([part, own]) =>
    // Parts of life that a seed has on top of the rest happen often in it.
    Array.from({ length: part === "always" ? 1 : setting.parts[part as Part] ? 3 : 0 }, () =>
      Object.entries(own),
    ).flat(),
  );
  const [name, run] = random.pick(table);
  // An answer is about what somebody else may remove meanwhile, so that is tried often.
  const rival = random.chance(name === "answer" ? 0.7 : 0.2) ? random.pick(all) : null;
  await asPerson(world, async () => {
    await system.inside(one, async (backend) => {
      const { data } = await backend.submissions.list(form, { limit: 50, status: "all" });
      const ids = data.map(({ id }) => id);
      if (ids.length === 0 && name !== "restore") return;
      const id = ids.length > 0 ? random.pick(ids) : "";
      world.note(`a person: ${name} ${id}`);
      done.kinds.add(name);
      // Somebody else deletes it at the same moment.
      if (rival && name !== "delete" && id !== "")
        void asPerson(world, () => remove(world, system, rival, form, id, done));
      const ours = posts.filter((post) => post.form !== forms.other);
      await run({ backend, form, id, all: ids, acts: done, posts: ours, random, n });
    });
  });
}

async function remove(world: World, system: System, one: Running, form: string, id: string, done: Acts): Promise<void> {
  world.note(`another person: delete ${id}`);
  done.kinds.add("delete");
  done.tried.add(id);
  await system.inside(one, (backend) => backend.submissions.delete(form, id));
  done.deleted.add(id);
}

/** Who acts, and on what. */
export interface Scene {
  readonly world: World;
  readonly system: System;
  readonly setting: Setting;
  readonly forms: Forms;
  readonly posts: readonly Post[];
}

/** Runs what a person asks for, who sees a refusal and goes on. False if it was refused or got no answer. */
export async function asPerson(world: World, run: () => Promise<void>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    const { code } = error as Partial<ApiError>;
    world.note(`a person: refused, ${code ?? String(error)}`);
    // `ready()` throws a driver's own error, so a call in a process that has not opened the store yet does, too.
    if (!(error instanceof Reset || error instanceof StoreDownError) && code === undefined) throw error;
    return false;
  }
}
