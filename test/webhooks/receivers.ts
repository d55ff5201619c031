import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

export interface Receiver {
  port: number;
  /** Connections accepted so far, and the most there were at one time. */
  seen: { connections: number; atOnce: number };
  close(): Promise<void>;
}

/** A TCP server that does whatever `onSocket` does. */
export function tcpReceiver(
  onSocket: (socket: Socket, connection: number) => void,
  host = "127.0.0.1",
  port = 0,
): Promise<Receiver> {
  const seen = { connections: 0, atOnce: 0 };
  return started(createServer(), host, seen, (socket) => onSocket(socket, seen.connections), port);
}

/** A TLS server. */
export function tlsReceiver(options: TlsOptions, onSocket: (socket: Socket) => void): Promise<Receiver> {
  const server = createTlsServer(options);
  server.on("tlsClientError", () => {});
  server.on("secureConnection", (socket) => {
    socket.on("error", () => {});
    onSocket(socket);
  });
  return started(server, "127.0.0.1", { connections: 0, atOnce: 0 }, () => {});
}

/** An HTTP server. */
export function httpReceiver(listener: RequestListener, host = "127.0.0.1"): Promise<Receiver> {
  return started(createHttpServer(listener), host, { connections: 0, atOnce: 0 }, () => {});
}

async function started(
  server: Server,
  host: string,
  seen: Receiver["seen"],
  onSocket: (socket: Socket) => void,
  port = 0,
): Promise<Receiver> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    seen.connections += 1;
    seen.atOnce = Math.max(seen.atOnce, open.size);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
    onSocket(socket);
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** A port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const { port, close } = await tcpReceiver(() => {});
  await close();
  return port;
}

/** Writes `text` as soon as the request's first bytes are there, so that an answer never comes before its question. */
export function afterRequest(socket: Socket, run: () => void): void {
  socket.once("data", run);
}

export const hasOpenssl: boolean = spawnSync("openssl", ["version"]).status === 0;

export interface Identity {
  key: string;
  cert: string;
}

/** A certificate authority, and servers' certificates: right, self-signed, expired, and for another name. All name `localhost` but the last. */
export function certificates(): {
  ca: string;
  good: Identity;
  selfSigned: Identity;
  expired: Identity;
  wrongName: Identity;
} {
  const dir = mkdtempSync(join(tmpdir(), "form-backend-tls-"));
  const openssl = (...args: string[]): void => {
    const { status, stderr } = spawnSync("openssl", args, { cwd: dir, encoding: "utf8" });
    if (status !== 0) throw new Error(`openssl ${args.join(" ")}: ${stderr}`);
  };
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-sha256"];
  const read = (file: string): string => readFileSync(join(dir, file), "utf8");
  const signed = (file: string, name: string, days: string): Identity => {
    openssl("req", "-new", ...key, "-keyout", `${file}.key`, "-out", `${file}.csr`, "-subj", `/CN=${name}`);
    writeFileSync(join(dir, `${file}.ext`), `subjectAltName=DNS:${name}\n`);
    openssl(
      "x509",
      "-req",
      "-in",
      `${file}.csr`,
      "-CA",
      "ca.pem",
      "-CAkey",
      "ca.key",
      "-CAcreateserial",
      "-days",
      days,
      "-extfile",
      `${file}.ext`,
      "-out",
      `${file}.pem`,
    );
    return { key: read(`${file}.key`), cert: read(`${file}.pem`) };
  };
  try {
    openssl(
      "req",
      "-x509",
      ...key,
      "-keyout",
      "ca.key",
      "-out",
      "ca.pem",
      "-days",
      "2",
      "-subj",
      "/CN=form-backend test CA",
    );
    openssl(
      "req",
      "-x509",
      ...key,
      "-keyout",
      "self.key",
      "-out",
      "self.pem",
      "-days",
      "2",
      "-subj",
      "/CN=localhost",
      "-addext",
      "subjectAltName=DNS:localhost",
    );
    return {
      ca: read("ca.pem"),
      good: signed("good", "localhost", "2"),
      selfSigned: { key: read("self.key"), cert: read("self.pem") },
      expired: signed("expired", "localhost", "-1"),
      wrongName: signed("wrong", "other.example", "2"),
    };
  } finally {
    rmSync(dir, { recursive: true });
  }
}
