import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** Answers of one name: addresses in order, an alias in front of them, a DNS error, or silence. Called for each query. */
export type Zone = (
  name: string,
  type: "A" | "AAAA",
) => { addresses?: string[]; alias?: string } | { rcode: number } | "silence";

export const NXDOMAIN = { rcode: 3 };
export const SERVFAIL = { rcode: 2 };

/** A DNS server on a UDP port of this machine, and a resolver that asks it. */
export async function dnsServer(zone: Zone): Promise<{ resolver: Resolver; queries: string[]; close(): void }> {
  const queries: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, peer) => {
    const { name, type, question } = readQuestion(query);
    queries.push(`${type} ${name}`);
    const answer = zone(name, type);
    if (answer === "silence") return;
    const rcode = "rcode" in answer ? answer.rcode : 0;
    const records = "rcode" in answer ? [] : recordsOf(answer, type);
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | rcode, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([header, question, ...records]), peer.port, peer.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const resolver = new Resolver({ timeout: 100, tries: 2 });
  resolver.setServers([`127.0.0.1:${(socket.address() as AddressInfo).port}`]);
  return { resolver, queries, close: () => socket.close() };
}

function readQuestion(query: Buffer): { name: string; type: "A" | "AAAA"; question: Buffer } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1) === 28 ? "AAAA" : "A";
  return { name: labels.join("."), type, question: query.subarray(12, at + 5) };
}

function recordsOf({ addresses = [], alias }: { addresses?: string[]; alias?: string }, type: "A" | "AAAA"): Buffer[] {
  const questionName = Buffer.from([0xc0, 12]);
  const owner = alias === undefined ? questionName : encodeName(alias);
  const records = addresses
    .filter((address) => address.includes(":") === (type === "AAAA"))
    .map((address) => record(owner, type === "A" ? 1 : 28, addressBytes(address)));
  return alias === undefined ? records : [record(questionName, 5, encodeName(alias)), ...records];
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, head, data]);
}

function encodeName(name: string): Buffer {
  return Buffer.concat([
    ...name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label, "latin1")])),
    Buffer.from([0]),
  ]);
}

function addressBytes(address: string): Buffer {
  if (!address.includes(":")) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail = ""] = address.split("::");
  const groups = (text: string) => text.split(":").filter(Boolean);
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill("0");
  const all = [...groups(head), ...zeros, ...groups(tail)].map((group) => Number.parseInt(group, 16));
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
