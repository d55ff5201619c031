import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

/** What arrived, by key, and how often. */
export interface Received {
  readonly port: number;
  readonly counts: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

const counter = () => {
  const counts = new Map<string, number>();
  return { counts, note: (key: string) => void counts.set(key, (counts.get(key) ?? 0) + 1) };
};

/** A webhook receiver that counts each `webhook-id`; some requests get a 500 or a cut connection, as in real life. */
export async function webhookReceiver(): Promise<Received> {
  const { counts, note } = counter();
  let seen = 0;
  const failed = new Set<string>();
  const server = createServer((req, res) => {
    req.resume().on("end", () => {
      const id = String(req.headers["webhook-id"]);
      // Each delivery fails once at most: a second failure in a row waits 30 s, a third two minutes, by the schedule.
      const turn = failed.has(id) ? 99 : ++seen % 100;
      if (turn < 10) failed.add(id);
      if (turn < 8) return void res.writeHead(500).end();
      if (turn < 10) return void req.socket.destroy();
      note(id);
      res.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    counts,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An SMTP server that counts each Message-ID. `onMail` gets every mail before its sender is told that it was taken. */
export async function mailReceiver(onMail: (raw: string) => void = () => {}): Promise<Received> {
  const { counts, note } = counter();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    disableReverseLookup: true,
    onData(stream, _session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const raw = Buffer.concat(chunks).toString("latin1");
        note(/^Message-ID: (.+)$/im.exec(raw)?.[1]?.trim() ?? "none");
        onMail(raw);
        callback();
      });
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    counts,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
