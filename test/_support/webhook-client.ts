import { onTestFinished } from "vitest";
import {
  createWebhookClient,
  type WebhookClient,
  type WebhookClientOptions,
} from "../../src/features/webhooks/request.ts";
import { addressPolicy } from "../../src/lib/net-guard.ts";
import { type Receiver, tcpReceiver } from "./receivers.ts";

/** Closes it after the test. */
export const kept = async <T extends { close(): unknown }>(thing: Promise<T> | T): Promise<T> => {
  const opened = await thing;
  onTestFinished(() => void opened.close());
  return opened;
};

/** A client that may reach this machine. */
export const client = (options: Partial<WebhookClientOptions> = {}): Promise<WebhookClient> =>
  kept(
    createWebhookClient({
      policy: addressPolicy({ allowCidrs: ["127.0.0.0/8"] }),
      allowHttp: true,
      timeoutMs: 5_000,
      ...options,
    }),
  );

/** A receiver that answers whatever it is sent with the same bytes. */
export const answering = (head: string): Promise<Receiver> =>
  kept(tcpReceiver((socket) => socket.on("data", () => socket.write(`HTTP/1.1 ${head}`))));

export const OK = "200 OK\r\nContent-Length: 0\r\n\r\n";
