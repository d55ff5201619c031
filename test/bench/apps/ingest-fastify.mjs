// Rival (b): Fastify, a parser for urlencoded bodies and one INSERT per post.
import Fastify from "fastify";
import { openStore } from "./hand-written-store.mjs";
import { report } from "./report.mjs";

const { insert, stored } = await openStore(process.env);
const app = Fastify();
app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
  done(null, Object.fromEntries(new URLSearchParams(body))),
);
app.post("/f/:form", async (request) => {
  await insert(request.params.form, request.body);
  return { code: 200, status: "success" };
});
report({ url: `${await app.listen({ port: 0, host: "127.0.0.1" })}/f/contact` }, { stored });
