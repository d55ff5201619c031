import { createServer } from "node:http";
import { Readable } from "node:stream";
import express, { type Express, type RequestHandler } from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { formBackend } from "../../../adapters/express.ts";
import { createTestBackend, type HostOptions, type RunningHost } from "../../../src/surfaces/testing/index.ts";
import { COOKIES, conforms, conformsWith, listening, OWN, pathOf } from "../../_support/hosts.ts";

const host =
  (framework: typeof express) =>
  async (options: HostOptions): Promise<RunningHost> => {
    const { backend, preParsed } = options;
    const app = framework();
    app.use((_req, res, next) => {
      for (const cookie of COOKIES) res.append("set-cookie", cookie);
      next();
    });
    app.get(OWN.ownPath, (_req, res) => void res.send("own"));
    if (preParsed) app.use(framework.json(), framework.urlencoded({ extended: true }));
    app.use(pathOf(backend.baseUrl) || "/", formBackend(backend));
    return { ...OWN, ...(await listening(app)) };
  };

conforms("Express 5", host(express));
await conformsWith<typeof express>("express4", "Express 4", (framework, options) => host(framework)(options));

describe("Express 5, in detail", () => {
  async function serve(
    build: (app: Express, forms: RequestHandler) => void,
  ): Promise<{ url: string; endpoint: string; stored: unknown[]; key: string }> {
    const backend = createTestBackend();
    const stored: unknown[] = [];
    backend.on("submission.created", ({ fields }) => stored.push(fields.map(({ key, value }) => `${key}=${value}`)));
    const { id } = await backend.forms.create({ name: "Contact" });
    const app = express();
    build(app, formBackend(backend));
    const { url, close } = await listening(app);
    onTestFinished(close);
    onTestFinished(() => backend.close());
    return { url, endpoint: `${url}/forms/f/${id}`, stored, key: backend.key };
  }

  const post = async (url: string, body: string | URLSearchParams | FormData, headers: Record<string, string> = {}) => {
    const response = await fetch(url, { method: "POST", headers: { accept: "application/json", ...headers }, body });
    const text = await response.text();
    return { status: response.status, text, code: text.startsWith("{") ? JSON.parse(text).error?.code : undefined };
  };
  /** What multer and its like do: read everything, keep nothing that the body could be made of. */
  const swallow: RequestHandler = (req, _res, next) => {
    req.resume().on("end", () => next());
  };

  it("answers 500 body_consumed for a multipart post that somebody else has read", async () => {
    const { endpoint, stored } = await serve((app, forms) => app.use(swallow).use("/forms", forms));
    const form = new FormData();
    form.set("name", "Ann");
    expect(await post(endpoint, form)).toMatchObject({ status: 500, code: "body_consumed" });
    expect(stored).toEqual([]);
  });

  it("answers 500 body_consumed in the management API as well", async () => {
    const { url, key } = await serve((app, forms) => app.use(swallow).use("/forms", forms));
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await post(`${url}/forms/v1/forms`, '{"name":"x"}', headers);
    expect(answer).toMatchObject({ status: 500, code: "body_consumed" });
    expect(answer.text).toContain("Mount the form backend before any body parser");
  });

  it("takes the bytes that a parser kept as text, Buffer or ArrayBuffer", async () => {
    const kinds = [
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => bytes.toString(),
      (bytes: Buffer) => new Uint8Array(bytes).buffer,
    ];
    for (const keep of kinds) {
      const verify = (req: object, _res: unknown, bytes: Buffer): void =>
        void Object.assign(req, { rawBody: keep(bytes) });
      const { endpoint, stored } = await serve((app, forms) =>
        app.use(express.urlencoded({ verify }), forms).use("/forms", forms),
      );
      // Only the bytes know that the name was written with brackets.
      expect(await post(endpoint, new URLSearchParams("a[]=1&a[]=ü"))).toMatchObject({ status: 200 });
      expect(stored).toEqual([["a[]=1", "a[]=ü"]]);
    }
  });

  it("takes the stream of a web request that stands in place of the body, as Nitro's preset for Netlify leaves it", async () => {
    const { endpoint, stored } = await serve((app, forms) =>
      app
        .use((req, _res, next) => {
          req.body = Readable.toWeb(req);
          next();
        })
        .use("/forms", forms),
    );
    const form = new FormData();
    form.set("name", "Zoë");
    expect(await post(endpoint, form)).toMatchObject({ status: 200 });
    expect(stored).toEqual([["name=Zoë"]]);
  });

  it("refuses a file that was made into text, as Nitro 2's preset for AWS Lambda does", async () => {
    const { endpoint, stored } = await serve((app, forms) =>
      app.use(express.text({ type: "*/*" })).use("/forms", forms),
    );
    const sent = (name: string, bytes: Uint8Array<ArrayBuffer>) => {
      const form = new FormData();
      form.set("name", name);
      form.set("file", new File([bytes], "a.txt", { type: "text/plain" }));
      return post(endpoint, form);
    };
    expect(await sent("Zoë", new Uint8Array([0xff, 0xfe, 0x41]))).toMatchObject({ status: 500, code: "body_consumed" });
    expect(stored).toEqual([]);
    expect(await sent("sent as \uFFFD", Buffer.from("text"))).toMatchObject({ status: 200 });
    expect(stored.flat()).toContain("name=sent as \uFFFD");
  });

  it("takes bodies that express.raw() or express.text() read", async () => {
    for (const parser of [express.raw({ type: "*/*" }), express.text({ type: "*/*" })]) {
      const { endpoint, stored } = await serve((app, forms) => app.use(parser).use("/forms", forms));
      const form = new FormData();
      form.set("name", "Zoë");
      expect(await post(endpoint, form)).toMatchObject({ status: 200 });
      expect(stored).toEqual([["name=Zoë"]]);
    }
  });

  it("refuses JSON that is too deep to be written again", async () => {
    const { endpoint } = await serve((app, forms) => app.use(express.json({ limit: "1mb" })).use("/forms", forms));
    const body = `{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
    expect(await post(endpoint, body, { "content-type": "application/json" })).toMatchObject({
      status: 400,
      code: "invalid_parameter",
    });
  });

  it("gets the whole body beside a logger that listens for its data", async () => {
    let logged = 0;
    const { endpoint, stored } = await serve((app, forms) =>
      app
        .use((req, _res, next) => {
          req.on("data", (bytes: Buffer) => (logged += bytes.length));
          next();
        })
        .use("/forms", forms),
    );
    expect(await post(endpoint, new URLSearchParams({ name: "Ann" }))).toMatchObject({ status: 200 });
    expect(stored).toEqual([["name=Ann"]]);
    expect(logged).toBe(8);
  });

  it("leaves the host its own view of the path", async () => {
    const paths: (string | undefined)[] = [];
    const { endpoint, url } = await serve((app, forms) =>
      app.use("/forms", (req, res, next) => {
        res.on("finish", () => paths.push(req.url, req.originalUrl));
        forms(req, res, next);
        paths.push(req.url);
      }),
    );
    await post(endpoint, new URLSearchParams({ name: "Ann" }));
    const whole = endpoint.slice(url.length);
    const below = whole.slice("/forms".length);
    expect(paths).toEqual([below, below, whole]);
  });

  it("gives errors outside the backend to next", async () => {
    const seen: unknown[] = [];
    const { endpoint } = await serve((app, forms) => {
      app.use("/forms", (req, res) => {
        res.write("answered already");
        forms(req, res, (error) => {
          seen.push(error);
          res.end();
        });
      });
    });
    expect(await post(endpoint, new URLSearchParams({ name: "Ann" }))).toMatchObject({ text: "answered already" });
    expect(seen).toMatchObject([{ code: "ERR_HTTP_HEADERS_SENT" }]);
  });

  it("fits what @types/express and node:http expect", () => {
    const forms = formBackend(createTestBackend());
    express.Router().use("/forms", forms).all("/forms", forms);
    expect(createServer((req, res) => forms(req, res, () => {})).close().listening).toBe(false);
  });
});
