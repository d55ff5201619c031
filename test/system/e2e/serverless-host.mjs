// A host that is frozen between requests: it takes one request at a time over IPC, hands it to the code of a platform's page, and says
// when the platform would freeze it. The code lies beside it.
import { readFileSync } from "node:fs";

const platform = process.argv[2];
/** The code of the page, which the test has written beside this file. */
const load = (name) => import(new URL(name, import.meta.url).href);
const running = [];
const settled = async () => {
  while (running.length > 0) await Promise.allSettled(running.splice(0));
};
globalThis.platformWaitUntil = (work) => void running.push(work);

const toRequest = ({ method, path, headers, body }) =>
  new Request(`https://app.example.com${path}`, { method, headers, ...(body !== undefined && { body }) });

/** Each answers the response, and whether the platform lets `waitUntil` end before it freezes. */
const platforms = {
  async vercel() {
    const page = await load("vercel.mjs");
    return (asked) => page[asked.method](toRequest(asked));
  },
  async netlify() {
    const { default: handle } = await load("netlify.mjs");
    return (asked) => handle(toRequest(asked), { ip: "203.0.113.9", waitUntil: platformWaitUntil });
  },
  async lambda() {
    const { handler } = await load("lambda.mjs");
    return async ({ method, path, headers, body = "" }) => {
      const answer = await handler(
        {
          version: "2.0",
          rawPath: path,
          rawQueryString: "",
          headers: { host: "app.example.com", ...headers },
          requestContext: { http: { method, path, sourceIp: "203.0.113.9" }, domainName: "app.example.com" },
          body,
          isBase64Encoded: false,
        },
        {},
      );
      return new Response(answer.body, { status: answer.statusCode });
    };
  },
  async "example-vercel"() {
    const page = await load("api/forms.mjs");
    globalThis[Symbol.for("@vercel/request-context")] = { get: () => ({ waitUntil: platformWaitUntil }) };
    const { rewrites } = JSON.parse(readFileSync(new URL("vercel.json", import.meta.url), "utf8"));
    return (asked) => {
      const [{ source, destination }] = rewrites;
      const rewritten = asked.path.replace(new RegExp(`^${source}$`), destination);
      return page[asked.method](toRequest({ ...asked, path: rewritten }));
    };
  },
  async "example-netlify"() {
    const { default: handle } = await load("netlify/functions/forms.mjs");
    return (asked) => handle(toRequest(asked), { ip: "203.0.113.9", waitUntil: platformWaitUntil });
  },
  async "cloud-run"() {
    await load("cloud-run.mjs");
    return ({ method, path, headers, body }) =>
      fetch(`http://127.0.0.1:${process.env.PORT}${path}`, { method, headers, ...(body !== undefined && { body }) });
  },
};

const answer = await platforms[platform]();
/** The handler that the platform calls every minute. */
const schedules = {
  async "example-vercel"() {
    const { GET } = await load("api/due.mjs");
    const call = (authorization) => GET(new Request("https://app.example.com/api/due", { headers: { authorization } }));
    return async () => {
      if ((await call("Bearer guessed")).status !== 401) throw new Error("the schedule takes any secret");
      return (await call(`Bearer ${process.env.CRON_SECRET}`)).text();
    };
  },
  async "example-netlify"() {
    return (await load("netlify/functions/due.mjs")).default;
  },
};
const scheduled = await (schedules[platform] ?? (async () => (await load("scheduled.mjs")).scheduled))();

process.on("message", async (asked) => {
  try {
    if (asked.scheduled) {
      process.send({ id: asked.id, status: 200, text: String(await scheduled()) });
    } else {
      const response = await answer(asked);
      process.send({ id: asked.id, status: response.status, text: await response.text() });
    }
    if (!asked.cut) await settled();
    process.send({ id: asked.id, frozen: true });
  } catch (error) {
    process.send({ id: asked.id, status: 599, text: String(error?.stack ?? error) });
    process.send({ id: asked.id, frozen: true });
  }
});
process.send({ up: true });
