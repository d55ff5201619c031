import { describe, expect, it } from "vitest";
import { harness } from "../../../_support/backend.ts";
import { pixelPng } from "../images/_images.ts";

async function world(options: object = {}) {
  const b = harness({ rateLimit: false, ...options });
  const { id } = await b.forms.create({ name: "Guide", auto_response: { enabled: true } });
  const upload = (file: Uint8Array | Blob, name = "guide") =>
    b.forms.uploadImage(id, { file, use: "reply_attachment", name });
  const attach = (ids: readonly string[]) => b.forms.update(id, { settings: { reply_attachments: [...ids] } });
  const reply = async () => {
    await b.submit(id, { fields: { email: "ann@example.com" } });
    await b.tick();
    return b.mails.at(-1);
  };
  return { b, id, upload, attach, reply };
}

const PDF = new Uint8Array(
  Buffer.from("%PDF-1.7\n1 0 obj\n<</Type/Catalog>>\nendobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"),
);

describe("the files of an automatic reply", () => {
  it("go with it, images of any use too, and in their order", async () => {
    const { b, id, upload, attach, reply } = await world();
    const pdf = await upload(PDF, "price-list");
    expect(pdf).toMatchObject({ mime_type: "application/pdf", size: PDF.byteLength, width: null });
    const logo = await b.forms.uploadImage(id, { file: pixelPng, use: "auto_response_logo", name: "logo" });
    await attach([pdf.id, logo.id]);
    const mail = await reply();
    expect(mail?.to.address).toBe("ann@example.com");
    const sent = mail?.attachments?.map(({ name, mimeType, content }) => [
      name,
      mimeType,
      Buffer.from(content).equals(name === "logo.png" ? pixelPng : Buffer.from(PDF)),
    ]);
    expect(sent).toEqual([
      ["price-list.pdf", "application/pdf", true],
      ["logo.png", "image/png", true],
    ]);
  });

  it("are in no other mail", async () => {
    const { b, id, upload, attach } = await world();
    await attach([(await upload(PDF)).id]);
    await b.forms.update(id, { self_email_notification: { recipients: ["me@example.com"] } });
    await b.submit(id, { fields: { email: "ann@example.com" } });
    await b.tick();
    expect(b.mails.find(({ to }) => to.address === "me@example.com")).not.toHaveProperty("attachments");
  });

  it("are left out once they are removed, and the reply is sent all the same", async () => {
    const { b, id, upload, attach, reply } = await world();
    const { id: file } = await upload(PDF);
    await attach([file]);
    await b.forms.deleteImage(id, file);
    expect(await reply()).not.toHaveProperty("attachments");
  });

  it("are refused where they are not the form's, come twice, are too many or too large", async () => {
    const { b, upload, attach } = await world();
    const other = await b.forms.create({ name: "Other" });
    const { id: theirs } = await b.forms.uploadImage(other.id, { file: PDF, use: "reply_attachment" });
    const { id: own } = await upload(PDF);
    const at = (n: number) => ({ code: "invalid_parameter", param: `settings.reply_attachments.${n}` });
    await expect(attach([own, theirs])).rejects.toMatchObject(at(1));
    await expect(attach(["img_none"])).rejects.toMatchObject(at(0));
    await expect(attach([own, own])).rejects.toMatchObject({ code: "invalid_parameter" });
    await expect(attach(["a", "b", "c", "d", "e", "f"])).rejects.toMatchObject({ code: "invalid_parameter" });
    await expect(b.forms.create({ name: "New", settings: { reply_attachments: [own] } })).rejects.toMatchObject(at(0));
    const large = (n: number) => Buffer.concat([PDF, Buffer.alloc(3 * 1024 * 1024, n)]);
    const [one, two] = [await upload(large(1)), await upload(large(2))];
    await expect(attach([one.id, two.id])).rejects.toMatchObject(at(1));
    expect((await attach([one.id, own])).settings.reply_attachments).toEqual([one.id, own]);
    await expect(upload(Buffer.concat([PDF, Buffer.alloc(5 * 1024 * 1024)]))).rejects.toMatchObject({
      code: "payload_too_large",
    });
  });

  it("may be of the types that the host allows, and are never shown in a page", async () => {
    const { b, upload } = await world();
    const html = new Blob(["<!doctype html><script>alert(1)</script>"]);
    await expect(upload(html)).rejects.toMatchObject({ code: "invalid_parameter", param: "file" });
    await expect(upload(new Uint8Array())).rejects.toMatchObject({ code: "invalid_parameter", param: "file" });
    const response = await b.fetch(new Request((await upload(PDF)).url));
    expect([response.status, response.headers.get("content-disposition")]).toEqual([200, "attachment"]);
  });
});
