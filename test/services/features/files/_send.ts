import { connect, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";

export interface Answered {
  readonly status: number;
  readonly text: string;
}

const BOUNDARY = "----boundary";

/** One part of a multipart body. */
export function part(
  name: string,
  content: string | Buffer,
  fileName?: string,
  type = "application/octet-stream",
): Buffer {
  const file = fileName === undefined ? "" : `; filename="${fileName}"\r\nContent-Type: ${type}`;
  return Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`),
    Buffer.from(content as string),
    Buffer.from("\r\n"),
  ]);
}

export const END = Buffer.from(`--${BOUNDARY}--\r\n`);

/** Writes a request to a bare socket, as slowly as the server takes it, and reads the answer as soon as it comes. */
export async function send(
  { port, path }: { port: number; path: string },
  body: Iterable<Buffer> | AsyncIterable<Buffer>,
  { type = `multipart/form-data; boundary=${BOUNDARY}`, headers = [] as string[] } = {},
): Promise<Answered> {
  const socket = connect(port, "127.0.0.1");
  const answered = readAnswer(socket);
  const lines = [
    `POST ${path} HTTP/1.1`,
    "Host: a",
    `Content-Type: ${type}`,
    "Accept: application/json",
    "Connection: close",
  ];
  try {
    await write(
      socket,
      Buffer.from([...lines, "Transfer-Encoding: chunked", ...headers, "", ""].join("\r\n")),
      answered,
    );
    for await (const bytes of body) {
      if (
        !(await write(
          socket,
          Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]),
          answered,
        ))
      )
        break;
    }
    await write(socket, Buffer.from("0\r\n\r\n"), answered);
    return await answered;
  } finally {
    socket.destroy();
  }
}

/** False once the answer is there: nobody needs the rest. */
async function write(socket: Socket, bytes: Buffer, answered: Promise<Answered>): Promise<boolean> {
  if (socket.destroyed || !socket.writable) return false;
  const written = new Promise<boolean>((resolve) => {
    socket.write(bytes, () => resolve(true));
  });
  const isOn = await Promise.race([written, answered.then(() => false)]);
  // While the server takes bytes as fast as they come, writes end at once, and without a turn the answer would never be read.
  await turn();
  return isOn;
}

function readAnswer(socket: Socket): Promise<Answered> {
  return new Promise((resolve, reject) => {
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes.toString();
    });
    // `Connection: close` makes the end of the stream the end of the answer, also while we still send.
    socket.on("end", () => resolve({ status: Number(text.slice(9, 12)), text }));
    socket.on("error", reject);
    socket.on("close", () => reject(new Error(`the connection ended without an answer: ${text}`)));
  });
}
