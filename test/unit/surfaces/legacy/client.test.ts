import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { toNodeHandler } from "srvx/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestBackend, type TestBackend } from "../../../../src/surfaces/testing/backend.ts";

// The requests of the published client formcarry-cli 1.0.0, byte for byte as it put them on the wire; only host, key and id vary.
// It knows no header: its key is a body parameter on create and a query parameter elsewhere, and it writes `returnurl`.
const add = (host: string, key: string): string => {
  const body = `name=Contact%20form&email=a%40example.com%2Cb%40example.com&returnurl=https%3A%2F%2Fexample.com%2Fdone&apiKey=${key}`;
  return `PUT /api/form HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\nConnection: keep-alive\r\n\r\n${body}`;
};
const remove = (host: string, key: string, id: string): string =>
  `DELETE /api/form/${id}?apiKey=${key} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 0\r\nConnection: keep-alive\r\n\r\n`;
const forms = (host: string, key: string): string =>
  `GET /api/form?apiKey=${key} HTTP/1.1\r\nhost: ${host}\r\nConnection: keep-alive\r\n\r\n`;

describe("the published command-line client", () => {
  let backend: TestBackend;
  let host: string;
  const server = createServer();

  /** Sends bytes as they are; answers the status and the JSON body. */
  const wire = (bytes: string): Promise<{ status: number; json: Record<string, unknown> }> =>
    new Promise((resolve, reject) => {
      const socket = connect((server.address() as AddressInfo).port, "127.0.0.1", () => socket.write(bytes));
      let text = "";
      socket.on("error", reject);
      socket.on("data", (chunk) => {
        text += chunk;
        const json = /\r\n(\{.*\})(\r\n|$)/s.exec(text)?.[1];
        if (!json) return;
        socket.destroy();
        resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), json: JSON.parse(json) });
      });
    });

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    backend = createTestBackend({ baseUrl: `http://${host}` });
    server.on("request", toNodeHandler((request) => backend.handle(request, { ip: "127.0.0.1" })) as never);
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await backend.close();
  });

  it("adds a form, deletes it, and is told when it is gone", async () => {
    const { status, json } = await wire(add(host, backend.key));
    const [form] = (await backend.forms.list({})).data;
    expect([status, json]).toEqual([
      200,
      {
        code: 200,
        title: "Created a new form",
        message: "Your form was created.",
        type: "success",
        formUrl: `http://${host}/f/${form?.id}`,
      },
    ]);
    expect(form?.self_email_notification.recipients).toEqual(["a@example.com", "b@example.com"]);
    expect(form?.after_submit.redirect.success_url).toBe("https://example.com/done");

    const deleted = await wire(remove(host, backend.key, form?.id ?? ""));
    expect([deleted.status, deleted.json["code"], deleted.json["type"]]).toEqual([200, 200, "success"]);
    expect((await backend.forms.list({})).data).toEqual([]);
    const again = await wire(remove(host, backend.key, form?.id ?? ""));
    expect([again.status, again.json["code"], again.json["message"]]).toEqual([
      404,
      404,
      "There is no form with this id.",
    ]);
  });

  it("is refused with a wrong key", async () => {
    for (const bytes of [add(host, "wrong"), add(host, ""), remove(host, "wrong", "abc")]) {
      const { status, json } = await wire(bytes);
      expect([status, json["code"], json["type"]]).toEqual([401, 401, "error"]);
    }
    expect((await backend.forms.list({})).data).toEqual([]);
  });

  it("cannot list forms, which the legacy API does not offer", async () => {
    const { status, json } = await wire(forms(host, backend.key));
    expect([status, json["code"], json["title"]]).toEqual([405, 405, "Method not allowed"]);
  });
});
