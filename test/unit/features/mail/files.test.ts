import { beforeAll, describe, expect, test } from "vitest";
import type { TestSmtpServer } from "../../../_support/smtp.ts";
import { byRecipient, elementsOf, mailing, sharedServer } from "./_mail.ts";

let server: TestSmtpServer;
beforeAll(async () => {
  server = await sharedServer();
});

const DAY = 24 * 60 * 60_000;

/** A multipart post with text files of the given names. */
function postOf(names: readonly string[], size = 10): FormData {
  const body = new FormData();
  body.set("email", "ada@example.com");
  for (const name of names) body.append("cv", new Blob(["x".repeat(size)], { type: "text/plain" }), name);
  return body;
}

describe.each(["fancy", "formal"] as const)("files (%s)", (theme) => {
  test("are links with name, size and field, in both parts, until the day that is said; nothing is attached", async () => {
    const backend = mailing(server, {}, { baseUrl: "http://forms.example/forms" });
    const form = await backend.forms.create({
      name: "Jobs",
      self_email_notification: { recipients: ["owner@example.com"], template: { theme } },
    });
    const before = server.messages.length;
    const body = postOf(["cv.txt"], 2_600);
    body.append("photos", new Blob(["y".repeat(12)], { type: "text/plain" }), "a b & c.txt");
    expect((await backend.post(form.id, body)).status).toBe(200);
    await backend.tick();
    const message = server.messages[before];
    const links = [...(message?.html ?? "").matchAll(/<a [^>]*href="([^"]+)"[^>]*>([^<]+)<\/a>/g)];
    expect(links.map(([, , name]) => name)).toEqual(["cv.txt", "a b &amp; c.txt"]);
    expect(message?.html).toContain("2.5 KB · cv");
    expect(message?.html).toContain("12 bytes · photos");
    expect(message?.html).toContain("The links work until 8 January 2026.");
    const [url = ""] = links.map(([, href = ""]) => href.replaceAll("&amp;", "&"));
    expect(url).toMatch(/^http:\/\/forms\.example\/forms\/files\/[^?]+\?expires=\d+&signature=[\w-]+$/);
    expect(message?.text).toContain(`Files:\n- cv.txt (2.5 KB, cv)\n  ${url}\n- a b & c.txt (12 bytes, photos)\n`);
    expect(message?.text).toContain("The links work until 8 January 2026.");
    expect(message?.raw).not.toMatch(/^Content-Disposition: attachment/im);
    const file = await backend.handle(new Request(url));
    expect([file.status, await file.text()]).toEqual([200, "x".repeat(2_600)]);
    await backend.clock.advance(7 * DAY + 1_000);
    expect((await backend.handle(new Request(url))).status).not.toBe(200);
  });

  test("hostile names add no header, recipient or element", async () => {
    const backend = mailing(server);
    const form = await backend.forms.create({
      name: "Jobs",
      spam: { protection: false },
      self_email_notification: { recipients: ["owner@example.com"], template: { theme } },
    });
    const shapeOf = async (name: string) => {
      const before = server.messages.length;
      const { status } = await backend.post(form.id, postOf([name]));
      expect(status, name).toBe(200);
      await backend.tick();
      const [message, ...more] = byRecipient(server.messages.slice(before))["owner@example.com"] ?? [];
      expect(more).toEqual([]);
      expect(message?.headerNames).not.toContain("bcc");
      expect(message?.html).not.toMatch(/[\u202a-\u202e]/u);
      return elementsOf(message?.html ?? "").join(" ");
    };
    const tame = await shapeOf("cv.txt");
    for (const name of [
      'a"b.txt',
      "<script>alert(1)</script>.txt",
      '"><img src=x onerror=alert(1)>.txt',
      "a\r\nBcc: eve@evil.example\r\n\r\n.txt",
      "../../etc/passwd",
      "C:\\fakepath\\cv.txt",
      "\u202Egpj.txt",
      "{{form.name}}.txt",
      "😀".repeat(60),
    ]) {
      expect(await shapeOf(name), name).toBe(tame);
    }
  });
});

test("in a template of the owner's, a file field's tag is its link, and the loop over the fields has it too", async () => {
  const backend = mailing(server);
  const html = '<a href="{{cv}}">cv</a>{{#fields}}[{{key}}]{{/fields}}';
  const form = await backend.forms.create({
    name: "Jobs",
    self_email_notification: { recipients: ["owner@example.com"], template: { html } },
  });
  const before = server.messages.length;
  await backend.post(form.id, postOf(["cv.txt"]));
  await backend.tick();
  expect(server.messages[before]?.html).toMatch(
    /^<a href="http:\/\/localhost:3000\/forms\/files\/[^"]+&amp;signature=[^"]+">cv<\/a>\[email\]\[cv\]\s*$/,
  );
});
