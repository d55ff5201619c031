// Rival (c): node:http with nothing in between, and one INSERT per post.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { openStore } from "./hand-written-store.mjs";
import { listen, report } from "./report.mjs";

const { insert, stored } = await openStore(process.env);
const server = createServer(async (req, res) => {
  const fields = Object.fromEntries(new URLSearchParams(await text(req)));
  await insert(req.url.slice("/f/".length), fields);
  res.writeHead(200, { "content-type": "application/json" }).end('{"code":200,"status":"success"}');
});
report({ url: `${await listen(server)}/f/contact` }, { stored });
