// A host that is frozen between requests: it takes one request at a time over IPC, hands it to the code of a platform's page, and says
// when the platform would freeze it. The code lies beside it.
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
  async "cloud-run"() {
    await load("cloud-run.mjs");
    return ({ method, path, headers, body }) =>
      fetch(`http://127.0.0.1:${process.env.PORT}${path}`, { method, headers, ...(body !== undefined && { body }) });
  },
};

const answer = await platforms[platform]();
const { scheduled } = await load("scheduled.mjs");

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
