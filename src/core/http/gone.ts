import type { ServerResponse } from "node:http";

const signals = new WeakMap<Request, AbortSignal>();

/**
 * Aborts when the client of a request goes away before its response has been sent. On Node it watches the response: the signal
 * of the request itself comes too early in srvx 0.8 (Nitro 3.0), as soon as the request has been read, and would cut off every
 * response that is streamed.
 */
export function clientGone(request: Request): AbortSignal {
  const known = signals.get(request);
  if (known) return known;
  const response = (request as { runtime?: { node?: { res?: ServerResponse } } }).runtime?.node?.res;
  const signal = response ? closedEarly(response) : request.signal;
  signals.set(request, signal);
  return signal;
}

function closedEarly(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const onClose = (): void => {
    if (!response.writableFinished) gone.abort();
  };
  if (response.closed) onClose();
  else response.once("close", onClose);
  return gone.signal;
}
