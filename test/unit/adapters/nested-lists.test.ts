import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { expect, it, onTestFinished } from "vitest";
import { formBackend } from "../../../adapters/express.ts";
import { harness } from "../../_support/backend.ts";

it("lists of objects keep their places behind a body parser", async () => {
  const b = harness();
  const { id } = await b.forms.create({ name: "Order" });
  const app = express();
  app.use(express.urlencoded({ extended: true }));
  app.use("/forms", formBackend(b));
  const server = await new Promise<Server>((resolve) => {
    const started = app.listen(0, "127.0.0.1", () => resolve(started));
  });
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { status } = await fetch(`http://127.0.0.1:${port}/forms/f/${id}`, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
    body: "items[0][sku]=A&items[1][sku]=B&tags[]=x&tags[]=y",
  });
  expect(status).toBe(200);
  const [submission] = (await b.submissions.list(id)).data;
  expect(submission?.fields).toEqual([
    { key: "items[0][sku]", value: "A" },
    { key: "items[1][sku]", value: "B" },
    { key: "tags", value: "x" },
    { key: "tags", value: "y" },
  ]);
});
