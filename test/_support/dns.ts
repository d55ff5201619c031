import { createSocket } from "node:dgram";
import { once } from "node:events";
import { atEndOfFile } from "./cleanup.ts";

const TYPES = { A: 1, TXT: 16, AAAA: 28 } as const;

/** Records by `<name> <type>`, such as `example.com TXT`; they may be replaced at any time. */
export type Zone = Record<string, readonly string[]>;

/** A name server on 127.0.0.1 over UDP, with everything below these records; it ends with the test file. */
export async function startDns(
  zone: Zone,
): Promise<{ readonly address: string; zone: Zone; readonly asked: string[] }> {
  const socket = createSocket("udp4");
  const server = { address: "", zone, asked: [] as string[] };
  socket.on("message", (message, from) => {
    const { name, type, end } = question(message);
    const kind = (Object.keys(TYPES) as (keyof typeof TYPES)[]).find((key) => TYPES[key] === type);
    server.asked.push(`${name} ${kind}`);
    const known = Object.keys(server.zone).some(
      (key) => key.split(" ")[0] === name || key.split(" ")[0]?.endsWith(`.${name}`),
    );
    const answers = (server.zone[`${name} ${kind}`] ?? []).map((value) => record(type, value));
    const header = Buffer.from(message.subarray(0, 12));
    // A response, with recursion; a name without any record does not exist.
    header.writeUInt16BE(0x8180 | (known ? 0 : 3), 2);
    header.writeUInt16BE(answers.length, 6);
    header.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([header, message.subarray(12, end), ...answers]), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  server.address = `127.0.0.1:${socket.address().port}`;
  atEndOfFile(() => socket.close());
  return server;
}

/** The records of a domain that sends mail: the proof of its team, SPF, DKIM with the selector s1, and DMARC. */
export const sendingDomain = (domain: string, proof: string): Zone => ({
  [`_sender-proof.${domain} TXT`]: [proof],
  [`${domain} TXT`]: ["v=spf1 ip4:192.0.2.1 -all"],
  [`s1._domainkey.${domain} TXT`]: [`v=DKIM1; k=ed25519; p=${Buffer.alloc(32, 7).toString("base64")}`],
  [`_dmarc.${domain} TXT`]: ["v=DMARC1; p=reject"],
});

function question(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** A record of the question's name. */
function record(type: number, value: string): Buffer {
  const data = type === TYPES.TXT ? txt(value) : address(value);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

/** Parts of at most 255 bytes, each after its length. */
const txt = (value: string): Buffer =>
  Buffer.concat(
    (value.match(/[\s\S]{1,255}/g) ?? [""]).map((part) =>
      Buffer.concat([Buffer.from([part.length]), Buffer.from(part)]),
    ),
  );

const address = (value: string): Buffer =>
  value.includes(":")
    ? Buffer.from(
        value
          .split(":")
          .map((group) => group.padStart(4, "0"))
          .join(""),
        "hex",
      )
    : Buffer.from(value.split(".").map(Number));
