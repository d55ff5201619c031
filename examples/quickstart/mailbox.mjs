// @ts-check
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { Router, urlencoded } from "express";
import { createTransport } from "nodemailer";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { openFolder } from "./folder.mjs";
import { mailboxPage, mailPage, sentPage } from "./pages.mjs";

/**
 * A real SMTP server that takes mail for anybody and keeps it, with pages to read it and to write back. Mail to an address in `domain` goes to
 * `pass` instead, which answers false if it can't be taken now.
 * @param {{ dir: string, offline: () => boolean, domain: string, pass: (raw: Uint8Array<ArrayBuffer>, to: string) => Promise<boolean> }} options
 */
export async function startMailbox({ dir, offline, domain, pass }) {
  const folder = await openFolder(dir, ".eml");

  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    disableReverseLookup: true,
    onData(stream, session, done) {
      const receive = async () => {
        const raw = await buffer(stream);
        // 451 is a temporary fault (RFC 5321), so the sender tries again later.
        if (offline()) throw Object.assign(new Error("The mailbox is offline"), { responseCode: 451 });
        const back = session.envelope.rcptTo
          .map(({ address }) => address)
          .filter((address) => address.endsWith(`@${domain}`));
        for (const to of back)
          if (!(await pass(new Uint8Array(raw), to)))
            throw Object.assign(new Error("The form backend can't take it now"), { responseCode: 451 });
        if (back.length === 0) await folder.add(raw);
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

  router.get(
    "/:id",
    (req, res) => void res.send(mailPage(req.params.id, res.locals.mail, replyAddress(res.locals.mail))),
  );

  /** The address that a mail of the backend asks to be written to; undefined for any other mail. */
  const replyAddress = (/** @type {import("postal-mime").Email} */ mail) =>
    mail.replyTo?.map(({ address }) => address ?? "").find((address) => address.endsWith(`@${domain}`));

  // Answers a mail as the recipient's mail program does. Pages of other sites must not send mail here.
  router.post("/:id/answer", urlencoded({ extended: false, limit: "100kb" }), async (req, res) => {
    const to = replyAddress(res.locals.mail);
    const text = String(req.body?.text ?? "").trim();
    if (req.get("origin") !== `http://${req.get("host")}`) return res.sendStatus(403);
    if (to === undefined || text === "") return res.sendStatus(400);
    const { subject = "", messageId, to: [recipient] = [] } = res.locals.mail;
    await createTransport({ host: "127.0.0.1", port }).sendMail({
      from: recipient?.address,
      to,
      subject: /^re:/i.test(subject) ? subject : `Re: ${subject}`,
      text,
      inReplyTo: messageId,
      references: messageId,
    });
    res.send(sentPage(req.params.id));
  });

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
