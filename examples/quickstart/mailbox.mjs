// @ts-check
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { Router } from "express";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { openFolder } from "./folder.mjs";
import { mailboxPage, mailPage } from "./pages.mjs";

/**
 * A real SMTP server that takes mail for anybody and keeps it, with pages to read it.
 * @param {{ dir: string, offline: () => boolean }} options
 */
export async function startMailbox({ dir, offline }) {
  const folder = await openFolder(dir, ".eml");

  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    disableReverseLookup: true,
    onData(stream, _session, done) {
      const receive = async () => {
        const raw = await buffer(stream);
        // 451 is a temporary fault (RFC 5321), so the sender tries again later.
        if (offline()) throw Object.assign(new Error("The mailbox is offline"), { responseCode: 451 });
        await folder.add(raw);
      };
      receive().then(() => done(null), done);
    },
  });
  smtp.on("error", (error) => console.error(`mailbox: ${error.message}`));
  smtp.listen(0, "127.0.0.1"); // any free port
  await once(smtp.server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (smtp.server.address());

  const router = Router();

  router.get("/", async (_req, res) => {
    const ids = await folder.ids(100);
    res.send(
      mailboxPage(
        await Promise.all(ids.map(async (id) => ({ id, mail: await PostalMime.parse(await folder.read(id)) }))),
      ),
    );
  });

  router.param("id", async (_req, res, next, id) => {
    // Only a name that is in the list reaches the file system.
    if (!(await folder.ids()).includes(id)) return res.sendStatus(404);
    res.locals.mail = await PostalMime.parse(await folder.read(id));
    next();
  });

  router.get("/:id", (req, res) => void res.send(mailPage(req.params.id, res.locals.mail)));

  // What a stranger wrote is shown in a document of its own: no scripts, no remote content, no access to this site.
  router.get("/:id/html", (_req, res) => {
    res.set("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:");
    res.send(res.locals.mail.html ?? "");
  });

  return {
    url: `smtp://127.0.0.1:${port}`,
    router,
    close: () => new Promise((resolve) => smtp.close(() => resolve(undefined))),
  };
}
