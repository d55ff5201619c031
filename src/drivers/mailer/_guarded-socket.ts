import { connect, isIP } from "node:net";
import type { Duplex } from "node:stream";
import { type AddressPolicy, BlockedAddressError, guardedLookup } from "../../lib/net-guard.ts";
import { boundedSocket } from "./_bounded-socket.ts";

/** nodemailer's way to get a socket from a transport that connects by itself. */
export type GetSocket = (
  options: { host?: string; port?: number | string; connectionTimeout?: number },
  callback: (error: Error | null, socket?: { connection: Duplex }) => void,
) => void;

/**
 * Connects only to addresses that the policy allows. The connection itself resolves the name, so a second DNS response can't
 * lead elsewhere. nodemailer then does the SMTP greeting, and upgrades to TLS under the name. When `over` aborts, the connection
 * is cut.
 */
export function guardedSocket(policy: AddressPolicy, over?: AbortSignal): GetSocket {
  const lookup = guardedLookup(policy);
  return ({ host = "", port, connectionTimeout }, callback) => {
    // Node looks up no literal addresses, so the policy has to be asked here.
    if (isIP(host) && !policy.allows(host)) return callback(blocked(new BlockedAddressError()));
    const connection = connect({ host, port: Number(port), lookup, ...(over && { signal: over }) });
    const end = (error: Error | null): void => {
      connection.removeAllListeners("timeout").setTimeout(0).off("error", end).off("connect", open);
      if (error) {
        connection.destroy();
        callback(error instanceof BlockedAddressError ? blocked(error) : error);
        return;
      }
      callback(null, { connection: boundedSocket(connection) });
    };
    const open = (): void => end(null);
    connection
      .once("connect", open)
      .once("error", end)
      .setTimeout(connectionTimeout ?? 10_000, () =>
        end(Object.assign(new Error("Connection timeout"), { code: "ETIMEDOUT" })),
      );
  };
}

/** A fault of the connection in nodemailer's terms; the address stays unnamed. */
const blocked = (cause: BlockedAddressError): Error =>
  Object.assign(new Error(cause.message, { cause }), { code: "ECONNECTION", originalCode: cause.code });
