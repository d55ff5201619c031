// The rival: nodemailer with a pool, and nothing that remembers what was sent.
import nodemailer from "nodemailer";
import { report } from "./report.mjs";

const { JOBS, PORT } = process.env;
const transport = nodemailer.createTransport({ host: "127.0.0.1", port: Number(PORT), ignoreTLS: true, pool: true });
/** As many as make a mail as large as one of ours. */
const ROWS = 65;
const text = "word ".repeat(180);
const html = `<!doctype html><html><body><h1>New submission</h1><table>${"<tr><th style='color:#333;padding:8px'>name</th><td>Ann Example</td></tr>".repeat(ROWS)}</table><p>${text}</p></body></html>`;

report(
  {},
  {
    /** Milliseconds until the server has taken the last one. */
    async run() {
      const started = performance.now();
      let left = Number(JOBS);
      const send = async () => {
        while (left-- > 0) {
          await transport.sendMail({
            from: "forms@example.com",
            to: `owner${left}@example.com`,
            replyTo: "ann@example.com",
            subject: "New submission",
            text,
            html,
          });
        }
      };
      await Promise.all(Array.from({ length: 64 }, send));
      return performance.now() - started;
    },
    stop: () => transport.close(),
  },
);
