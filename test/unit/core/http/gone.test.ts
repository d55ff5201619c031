import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { clientGone } from "../../../../src/core/http/gone.ts";

/** A request as srvx makes it, with a signal of its own that has come already. */
function onNode(response: object) {
  const request = new Request("http://localhost/", { signal: AbortSignal.abort() });
  const res = Object.assign(new EventEmitter(), { closed: false, writableFinished: false, ...response });
  return { request: Object.assign(request, { runtime: { node: { res } } }), res };
}

describe("the signal of a client that goes away", () => {
  it("comes when the connection closes before the response has been sent, and not when the request has been read", () => {
    const { request, res } = onNode({});
    const signal = clientGone(request);
    expect(signal.aborted).toBe(false);
    res.emit("close");
    expect(signal.aborted).toBe(true);
  });

  it("does not come after the whole response", () => {
    const { request, res } = onNode({});
    const signal = clientGone(request);
    res.writableFinished = true;
    res.emit("close");
    expect(signal.aborted).toBe(false);
  });

  it("has come where the connection is closed by then", () => {
    expect(clientGone(onNode({ closed: true }).request).aborted).toBe(true);
    expect(clientGone(onNode({ closed: true, writableFinished: true }).request).aborted).toBe(false);
  });

  it("is one for all who ask, with one listener", () => {
    const { request, res } = onNode({});
    expect(clientGone(request)).toBe(clientGone(request));
    expect(res.listenerCount("close")).toBe(1);
  });

  it("is the request's own where there is no Node", () => {
    const request = new Request("http://localhost/");
    expect(clientGone(request)).toBe(request.signal);
  });
});
