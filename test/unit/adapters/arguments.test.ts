import { describe, expect, it } from "vitest";
import { formBackend as express } from "../../../adapters/express.ts";
import { formBackend as fastify } from "../../../adapters/fastify.ts";
import { formBackend as koa } from "../../../adapters/koa.ts";
import { formBackend as nitro } from "../../../adapters/nitro.ts";
import { formBackend as node } from "../../../adapters/node.ts";
import { createFormBackend } from "../../../src/index.ts";

const adapters = Object.entries({ express, fastify, koa, nitro, node });

describe("an adapter that is given something else than a backend says so when it is mounted", () => {
  it.each(adapters)("%s", (_, formBackend) => {
    for (const wrong of [undefined, {}, createFormBackend, Promise.resolve()]) {
      expect(() => formBackend(wrong as never)).toThrow(
        new TypeError("[form-backend] formBackend() expects the object returned by createFormBackend()."),
      );
    }
  });
});
