import type { Setting } from "./setting.ts";
import { type Answer, BASE_URL, Reset, type Running, type System, textOf } from "./system.ts";
import type { World } from "./world.ts";

/** The forms of a seed. */
export interface Forms {
  readonly plain: string;
  readonly places: string;
  readonly unique: string;
  readonly reply: string;
  /** The form of the other team. */
  readonly other?: string;
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
  /** A 2xx named a submission that is gone, since a copy from before it was put back. */
  isUndone: boolean;
  /** Requests whose end the visitor does not know, so that they may be stored after a later one was refused. */
  unclear: number;
  /** Requests that a process has and has not answered, given up or not. */
  underWay: number;
  editUrl: string | null;
  /** The word of the last change that got a 2xx; null after one without an answer. */
  edited: string | null;
  edits: number;
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
      const sent = send(system, random.pick(all), post);
      post.underWay++;
      const ended = () => post.underWay--;
      sent.then(ended, ended);
      const answer = await patient(world, sent);
      const { code = null, message = "" } = answer?.body.error ?? {};
      if (!answer || message.includes("could not confirm")) post.unclear++;
      world.note(`visitor ${post.n}: ${answer ? `${answer.status} ${answer.body.submission_id ?? code}` : "reset"}`);
      if (answer && answer.status < 300) {
        post.ids.add(String(answer.body.submission_id));
        post.editUrl = answer.body.edit_url ?? null;
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

/** A browser's patience with a server that says nothing. */
const PATIENCE_MS = 60_000;

/** The answer; null if the connection was reset or it takes too long. */
export function patient<T>(world: World, sent: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const stop = world.after(PATIENCE_MS, null, () => resolve(null));
    sent.then(resolve, (error: unknown) => (error instanceof Reset ? resolve(null) : reject(error))).finally(stop);
  });
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
    return { status: response.status, body: JSON.parse(await textOf(response)) as Answer["body"] };
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

/** Has the visitor change the post by the link that the answer had. */
export async function edit(world: World, system: System, post: Post): Promise<void> {
  const random = world.random.fork(`edit${post.n}-${post.edits}`);
  const all = system.running();
  if (post.editUrl === null || all.length === 0) return;
  const word = `${post.canary}-edit-${++post.edits}`;
  const fields: [string, string][] = [
    ["message", word],
    ["email", post.email],
    ["code", random.chance(0.5) ? post.value : `value ${random.between(1, 4)}`],
    ["_revision", String(post.edits - 1)],
  ];
  const { body, type } = urlencoded(fields);
  post.edited = null;
  const answer = await patient(
    world,
    system.inside(random.pick(all), async (backend) => {
      const headers = { accept: "application/json", "content-type": type };
      const response = await backend.handle(new Request(String(post.editUrl), { method: "POST", headers, body }));
      return { status: response.status, body: jsonOf(await textOf(response)) };
    }),
  );
  world.note(`visitor ${post.n} changes the post: ${answer ? answer.status : "reset"}`);
  if (answer?.status === 200) post.edited = word;
}

const jsonOf = (text: string): Answer["body"] => (text.startsWith("{") ? JSON.parse(text) : {});

/** The posts of a seed. */
export const postsOf = (world: World, setting: Setting, forms: Forms): Post[] => {
  const random = world.random.fork("posts");
  const names = Object.keys(forms) as (keyof Forms)[];
  return Array.from({ length: setting.visitors }, (_, n) => {
    const name = random.pick(names);
    return {
      ...newPost(n, String(forms[name])),
      value: `value ${random.between(1, setting.values)}`,
      ...(random.chance(0.1) && { email: `gone${n}@example.net` }),
      hasFile: (name === "reply" || name === "other") && random.chance(0.5),
    };
  });
};

/** A post that is yet to come. */
export const newPost = (n: number, form: string): Post => ({
  n,
  form,
  canary: `canary-${n}-word`,
  value: "value 1",
  email: `visitor${n}@example.net`,
  hasFile: false,
  ids: new Set(),
  refusal: null,
  isOver: false,
  isUndone: false,
  unclear: 0,
  underWay: 0,
  editUrl: null,
  edited: null,
  edits: 0,
});
