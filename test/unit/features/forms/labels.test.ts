import { describe, expect, it } from "vitest";
import { harness } from "../../../_support/backend.ts";

const world = async () => {
  const b = harness();
  const form = await b.forms.create({
    name: "Contact",
    self_email_notification: { recipients: ["owner@example.com"], subject: "{{msg}}" },
    validation: { rules: [{ field: "phone", checks: [{ type: "required" }] }] },
    settings: { labels: { msg: "Your <message>", phone: "Téléphone", toString: "Text" } },
  });
  const webhook = await b.webhooks.create(form.id, { url: "https://example.com/" });
  return { b, form, webhook };
};

describe("labels", () => {
  it("stand for field names in a notification, but not in its tags, in webhooks or in exports", async () => {
    const { b, form } = await world();
    await b.submit(form.id, { fields: { msg: "Hello", phone: "123456", plain: "x", constructor: "y" } });
    await b.tick();
    const [mail] = b.mails;
    expect(mail?.text).toContain("Your <message>: Hello\nTéléphone: 123456\nplain: x\nconstructor: y\n");
    expect(mail?.html).toContain("Your &lt;message&gt;");
    expect(mail?.html).not.toContain("<message>");
    expect(mail?.subject).toBe("Hello");
    expect(b.webhookCalls[0]?.body).toContain('"key":"msg"');
    expect(b.webhookCalls[0]?.body).not.toContain("Téléphone");
    for (const format of ["csv", "json"] as const) {
      const text = await new Response(await b.submissions.export(form.id, { format })).text();
      expect(text).toContain("msg");
      expect(text).not.toContain("Téléphone");
    }
    expect((await b.forms.fields(form.id)).data.map(({ name }) => name)).toContain("msg");
  });

  it("stand at the controls of the page that says what is wrong, whose names stay", async () => {
    const { b, form } = await world();
    const labelsOn = (text: string) =>
      [...text.matchAll(/<label for="[^"]*">(.*?)<\/label>/g)].map(([, label]) => label);
    const wrong = await b.post(form.id, "msg=Hello&phone=", { accept: "text/html" });
    expect([wrong.status, labelsOn(wrong.text)]).toEqual([422, ["Téléphone"]]);
    const { status, text } = await b.post(form.id, "msg=&constructor=&toString=&phone=", { accept: "text/html" });
    expect(status).toBe(400);
    expect(labelsOn(text)).toEqual(["Your &lt;message&gt;", "constructor", "Text", "Téléphone"]);
    const names = [...text.matchAll(/ name="([^"]*)"/g)].map(([, name]) => name);
    expect(names).toEqual(expect.arrayContaining(["msg", "phone"]));
  });
});
