import { StoreDownError } from "../../src/drivers/storage/types.ts";
import type { ApiError } from "../../src/errors.ts";
import type { Setting } from "./setting.ts";
import { type Answer, BASE_URL, Reset, type Running, type System } from "./system.ts";
import type { World } from "./world.ts";

/** The forms of a seed. */
export interface Forms {
  readonly plain: string;
  readonly places: string;
  readonly unique: string;
  readonly reply: string;
}

/** One visitor's post, with what became of it. */
export interface Post {
  readonly n: number;
  readonly form: string;
  /** A word that only this post has. */
  readonly canary: string;
  /** The value of the form with unique values. */
  readonly value: string;
  readonly email: string;
  readonly hasFile: boolean;
  /** Ids that a 2xx named. */
  readonly ids: Set<string>;
  /** The code of the last refusal. */
  refusal: string | null;
  isOver: boolean;
}

/** What people of the team did, as far as an answer said so. */
export interface Acts {
  readonly deleted: Set<string>;
  /** Asked for, with an answer or without. */
  readonly tried: Set<string>;
}

const retried = new Set(["unavailable", "internal_error", "idempotency_in_progress", "conflict", "rate_limited"]);

export async function visit(world: World, system: System, post: Post): Promise<void> {
  const random = world.random.fork(`visitor${post.n}`);
  const again = random.chance(0.2);
  const tries = async (): Promise<void> => {
    for (let tried = 0; tried < 400; tried++) {
      const all = system.running();
      if (all.length === 0) {
        await world.pause(500);
        continue;
      }
      const answer = await send(system, random.pick(all), post).catch((error: unknown) => {
        if (error instanceof Reset) return null;
        throw error;
      });
      const code = answer?.body.error?.code ?? null;
      world.note(`visitor ${post.n}: ${answer ? `${answer.status} ${answer.body.submission_id ?? code}` : "reset"}`);
      if (answer && answer.status < 300) {
        post.ids.add(String(answer.body.submission_id));
        return;
      }
      if (answer && answer.status < 500 && !retried.has(String(code))) {
        post.refusal = code;
        return;
      }
      await world.pause(random.between(200, 8_000));
    }
    throw new Error(`visitor ${post.n} got no answer in 400 tries`);
  };
  // A visitor who presses the button twice, or whose browser repeats a request that seems lost.
  await Promise.all(again ? [tries(), world.pause(random.between(0, 2_000)).then(tries)] : [tries()]);
  post.isOver = true;
}

function send(system: System, one: Running, post: Post): Promise<Answer> {
  const fields: [string, string][] = [
    ["message", post.canary],
    ["email", post.email],
    ["code", post.value],
  ];
  const headers = { accept: "application/json", "idempotency-key": `visitor-${post.n}` };
  return system.inside(one, async (backend) => {
    const { body, type } = post.hasFile ? multipart(fields, post.canary) : urlencoded(fields);
    const request = new Request(`${BASE_URL}/f/${post.form}`, {
      method: "POST",
      headers: { ...headers, "content-type": type },
      body,
    });
    const response = await backend.handle(request, { ip: "203.0.113.9" });
    return { status: response.status, body: JSON.parse(await response.text()) as Answer["body"] };
  });
}

const urlencoded = (fields: [string, string][]) => ({
  body: new URLSearchParams(fields).toString(),
  type: "application/x-www-form-urlencoded",
});

/** Bytes rather than FormData, whose files are read by a thread that no seed decides. */
function multipart(fields: [string, string][], canary: string) {
  const boundary = "----simulation";
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${canary}.txt"\r\nContent-Type: text/plain\r\n\r\n${canary}\r\n`;
  return {
    body: new TextEncoder().encode(`${parts.join("")}${file}--${boundary}--\r\n`),
    type: `multipart/form-data; boundary=${boundary}`,
  };
}

/** One act of a person of the team, on a submission that is there. */
export async function act(world: World, system: System, forms: Forms, acts: Acts, n: number): Promise<void> {
  const random = world.random.fork(`act${n}`);
  const all = system.running();
  if (all.length === 0) return;
  const one = random.pick(all);
  const form = random.pick(Object.values(forms));
  const what = random.pick(["spam", "ham", "read", "unread", "delete", "bulk"] as const);
  try {
    await system.inside(one, async (backend) => {
      const { data } = await backend.submissions.list(form, { limit: 50, status: "all" });
      const chosen = data.length > 0 ? random.pick(data) : undefined;
      if (!chosen) return;
      world.note(`a person: ${what} ${chosen.id}`);
      if (what === "spam" || what === "ham")
        await backend.submissions.update(form, chosen.id, { spam: what === "spam" });
      else if (what === "read" || what === "unread")
        await backend.submissions.update(form, chosen.id, { read: what === "read" });
      else if (what === "bulk")
        await backend.submissions.bulk(form, { action: "mark_read", ids: data.map(({ id }) => id) });
      else if (what === "delete") {
        acts.tried.add(chosen.id);
        await backend.submissions.delete(form, chosen.id);
        acts.deleted.add(chosen.id);
      }
    });
  } catch (error) {
    const { code } = error as Partial<ApiError>;
    world.note(`a person: refused, ${code ?? String(error)}`);
    // `ready()` throws a driver's own error, so a call in a process that has not opened the store yet does, too.
    if (!(error instanceof Reset || error instanceof StoreDownError) && code === undefined) throw error;
  }
}

export const postsOf = (world: World, setting: Setting, forms: Forms): Post[] => {
  const random = world.random.fork("posts");
  const names = Object.keys(forms) as (keyof Forms)[];
  return Array.from({ length: setting.visitors }, (_, n) => {
    const name = random.pick(names);
    return {
      n,
      form: forms[name],
      canary: `canary-${n}-word`,
      value: `value ${random.between(1, setting.values)}`,
      email: random.chance(0.1) ? `gone${n}@example.net` : `visitor${n}@example.net`,
      hasFile: name === "reply" && random.chance(0.5),
      ids: new Set<string>(),
      refusal: null,
      isOver: false,
    };
  });
};
