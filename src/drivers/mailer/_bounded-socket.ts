import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/** A mail server's answers are shorter than what they answer, but for its greeting and its certificates. */
const MAX_AHEAD_BYTES = 65_536;

/** A stream with the methods of a socket that nodemailer calls. */
type Connection = Duplex & Pick<Socket, "setTimeout" | "setKeepAlive" | "setNoDelay">;

/**
 * The connection as a stream that ends with an error once the server has sent far more than it was sent: nodemailer keeps every
 * line, and reads on while lines come. A stream, because Node's TLS reads a socket past the socket's listeners.
 */
export function boundedSocket(socket: Socket): Connection {
  let ahead = 0;
  const write = (chunk: Buffer, done: (error?: Error | null) => void): void => {
    ahead = Math.max(0, ahead - chunk.length);
    socket.write(chunk, done);
  };
  const stream = new Duplex({
    allowHalfOpen: false,
    read: () => void socket.resume(),
    write: (chunk: Buffer, _encoding, done) => write(chunk, done),
    // Commands that belong together go in one packet.
    writev: (parts, done) => write(Buffer.concat(parts.map(({ chunk }) => chunk as Buffer)), done),
    final: (done) => void socket.end(() => done()),
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  socket
    .on("data", (chunk) => {
      ahead += chunk.length;
      if (ahead > MAX_AHEAD_BYTES) stream.destroy(new Error("The server sends more than a mail server has to say."));
      else if (!stream.push(chunk)) socket.pause();
    })
    .on("end", () => stream.push(null))
    .on("error", (error) => stream.destroy(error))
    .on("close", () => stream.destroy())
    .on("timeout", () => stream.emit("timeout"));

  const connection: Connection = Object.assign(stream, {
    setTimeout(ms: number): Connection {
      socket.setTimeout(ms);
      return connection;
    },
    setKeepAlive(on?: boolean, delayMs?: number): Connection {
      socket.setKeepAlive(on, delayMs);
      return connection;
    },
    setNoDelay(on?: boolean): Connection {
      socket.setNoDelay(on);
      return connection;
    },
  }) as never;
  return connection;
}
