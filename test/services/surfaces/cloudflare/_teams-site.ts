import type { ObjectNamespaceLike } from "../../../../src/surfaces/cloudflare/bindings.ts";
import { backendOf, formBackendObject, formBackendWorker } from "../../../../src/surfaces/cloudflare/index.ts";

// An object for each team, and a directory that knows the team of a form: the code of the page about Cloudflare.

interface Env {
  readonly FORMS: ObjectNamespaceLike;
  readonly DIRECTORY: {
    get(key: string, options: { cacheTtl: number }): Promise<string | null>;
    put(key: string, value: string): Promise<void>;
  };
}

export class Forms extends formBackendObject<Env>(() => ({
  baseUrl: "http://site.test/forms",
  secret: "the secret of these tests, long enough",
  rateLimit: false,
  logger: { debug() {}, info() {}, warn() {}, error: (text) => console.error(text) },
})) {}

export default formBackendWorker<Env>({
  binding: "FORMS",
  async object(request, env) {
    const [, id] = /^\/forms\/f\/(\w+)/.exec(new URL(request.url).pathname) ?? [];
    return id === undefined ? request.headers.get("x-team") : env.DIRECTORY.get(id, { cacheTtl: 3_600 });
  },
  async next(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    const team = searchParams.get("team") ?? "";
    if (pathname === "/signup") {
      const form = await backendOf(env.FORMS, team).forms.create({ name: `Form of ${team}` });
      await env.DIRECTORY.put(form.id, team);
      return Response.json({ id: form.id });
    }
    if (pathname === "/posts") {
      const { data } = await backendOf(env.FORMS, team).forms.list();
      const counts = await Promise.all(
        data.map(async ({ id }) => (await backendOf(env.FORMS, team).submissions.list(id)).data.length),
      );
      return Response.json({ forms: data.map(({ name }) => name), counts });
    }
    return new Response("page");
  },
});
