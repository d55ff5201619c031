import { formBackend } from "../../../adapters/node.ts";
import { COOKIES, conforms, listening, pathOf } from "../../_support/hosts.ts";

conforms("node:http, the backend alone", ({ backend }) => listening(formBackend(backend)));

conforms("node:http, beside addresses of the server's own", async ({ backend }) => {
  const base = pathOf(backend.baseUrl);
  const forms = formBackend(backend);
  const { url, close } = await listening((req, res) => {
    // A copy: Node appends to the very list.
    res.setHeader("set-cookie", [...COOKIES]);
    if (req.url === "/own") res.end("own");
    else if (req.url === base || /^[/?]/.test((req.url ?? "").slice(base.length))) forms(req, res);
    else res.writeHead(404).end();
  });
  return { url, close, ownPath: "/own", cookies: COOKIES };
});
