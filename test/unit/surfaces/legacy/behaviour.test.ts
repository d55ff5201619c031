import { describe, expect, it } from "vitest";
import { legacyHarness } from "./_legacy.ts";

const everything = {
  name: "Contact",
  email: "ann@example.com, bob@example.com",
  webhook: "https://hooks.example.com/in",
  selfEmail_from: "Forms <forms@example.com>",
  selfEmail_subject: "From {{name}}",
  autoResponse: "true",
  autoResponse_from: "support@example.com",
  autoResponse_subject: "Thanks, {{name}}",
  autoResponse_message: "We answer soon, {{name}}.",
  thankYouPage_theme: "Sweet",
  thankYouPage_mode: "Dark",
  thankYouPage_headline: "Got it",
  thankYouPage_message: "See you & yours",
  thankYouPage_returnText: "Home",
  thankYouPage_returnUrl: "https://example.com/home",
};
const post = "name=Zo%C3%AB&email=zoe%40example.com&message=Hi";
const html = { accept: "text/html" };

describe("a form made with one legacy call", () => {
  it("mails each address, calls the webhook and replies", async () => {
    const b = legacyHarness({ senderDomains: ["example.com"] });
    const id = await b.made(everything);
    await b.post(id, post);
    await b.tick();
    const sent = b.mails.map(({ to, from, subject }) => [to.address, from.name, from.address, subject]);
    expect(sent.sort()).toEqual([
      ["ann@example.com", "Forms", "forms@example.com", "From Zoë"],
      ["bob@example.com", "Forms", "forms@example.com", "From Zoë"],
      ["zoe@example.com", expect.any(String), "support@example.com", "Thanks, Zoë"],
    ]);
    expect(b.mails.find(({ to }) => to.address === "zoe@example.com")?.text).toContain("We answer soon, Zoë.");
    expect(b.webhookCalls.map(({ url }) => url)).toEqual(["https://hooks.example.com/in"]);
    expect(JSON.parse(b.webhookCalls[0]?.body ?? "")).toMatchObject({
      type: "submission.created",
      data: { form_id: id, fields: [{ key: "name", value: "Zoë" }, { key: "email" }, { key: "message" }] },
    });
  });

  it("takes addresses of any domain, and has answers go there where mail may not be sent in their name", async () => {
    const b = legacyHarness({ from: "no-reply@forms.test" });
    await b.post(await b.made(everything), "name=Zoe");
    await b.post(await b.made({ ...everything, selfEmail_from: "" }), post);
    await b.tick();
    const sent = b.mails.map(({ to, from, replyTo }) => `${to.address} ${from.address} ${replyTo?.address}`);
    expect(sent.sort()).toEqual([
      "ann@example.com no-reply@forms.test forms@example.com",
      "ann@example.com no-reply@forms.test zoe@example.com",
      "bob@example.com no-reply@forms.test forms@example.com",
      "bob@example.com no-reply@forms.test zoe@example.com",
      "zoe@example.com no-reply@forms.test support@example.com",
    ]);
  });

  it("answers the thank-you page with the chosen words, theme and mode", async () => {
    const b = legacyHarness();
    const page = async (parameters: Record<string, unknown>) => {
      const { headers } = await b.post(await b.made({ ...everything, ...parameters }), post, html);
      return (await b.handle(new Request(headers.get("location") ?? ""))).text();
    };
    const sweet = await page({});
    expect(sweet).toContain("<h1>Got it</h1>");
    expect(sweet).toContain("See you &amp; yours");
    expect(sweet).toMatch(/<a [^>]*href="https:\/\/example\.com\/home"[^>]*>Home<\/a>/);
    expect(sweet).toContain('data-mode="dark"');
    const styleOf = (text: string) => /<style>(.*?)<\/style>/s.exec(text)?.[1];
    const styles = [
      sweet,
      await page({ thankYouPage_theme: "Fancy" }),
      await page({ thankYouPage_theme: "Formal" }),
    ].map(styleOf);
    expect(new Set(styles).size, "each theme has a style of its own").toBe(3);
    expect(await page({ thankYouPage_mode: "System" })).toContain('data-mode="system"');
    expect(await page({ thankYouPage_mode: undefined })).toContain('data-mode="light"');
  });

  it("redirects with the fields in the query string", async () => {
    const b = legacyHarness();
    const to = async (parameters: Record<string, unknown>) => {
      const { status, headers } = await b.post(await b.made(parameters), post, html);
      return [status, headers.get("location")];
    };
    const returnUrl = "https://example.com/done?a=1";
    expect(await to({ returnUrl, returnParams: "true" })).toEqual([
      303,
      "https://example.com/done?a=1&name=Zo%C3%AB&email=zoe%40example.com&message=Hi",
    ]);
    expect(await to({ returnUrl, returnParams: "false" })).toEqual([303, returnUrl]);
    expect(await to({ returnUrl })).toEqual([303, returnUrl]);
  });

  it("redirects a refused post to failUrl, and without one shows the page", async () => {
    const b = legacyHarness();
    const refused = async (parameters: Record<string, unknown>) => {
      const { status, headers } = await b.post(await b.made(parameters), "name=", html);
      return [status, headers.get("location")];
    };
    const returnUrl = "https://example.com/done";
    expect(await refused({ returnUrl, failUrl: "https://example.com/oh" })).toEqual([
      303,
      "https://example.com/oh?error=empty_submission",
    ]);
    expect(await refused({ returnUrl })).toEqual([400, null]);
  });

  it("mails nothing for spam unless selfEmail_sendOnSpam", async () => {
    const b = legacyHarness();
    await b.post(await b.made(everything), `${post}&_gotcha=x`);
    await b.tick();
    expect([b.mails, b.webhookCalls]).toEqual([[], []]);
    await b.post(await b.made({ ...everything, selfEmail_sendOnSpam: "true" }), `${post}&_gotcha=x`);
    await b.tick();
    expect(b.mails.map(({ to }) => to.address).sort()).toEqual(["ann@example.com", "bob@example.com"]);
    expect(b.webhookCalls).toEqual([]);
  });

  it("keeps no submission with retention false, and still mails it", async () => {
    const b = legacyHarness();
    const id = await b.made({ ...everything, retention: "false" });
    await b.post(id, post);
    await b.tick();
    expect(b.mails).toHaveLength(3);
    const { json } = await b.legacy("GET", `/api/form/${id}/submissions`);
    expect(json.pagination.total_submissions).toBe(0);
  });

  it("is an ordinary form of v1, and a form of v1 is an ordinary one here", async () => {
    const b = legacyHarness();
    const id = await b.made(everything);
    expect((await b.call("PATCH", `/v1/forms/${id}`, { body: { name: "Renamed" } })).json.name).toBe("Renamed");
    await b.post(id, post);
    const { json: listed } = await b.legacy("GET", `/api/form/${id}/submissions`);
    expect(listed.submissions).toHaveLength(1);
    expect(listed.submissions[0].fields[0]).toEqual({ key: "name", value: "Zoë" });

    const { json: form } = await b.call("POST", "/v1/forms", { body: { name: "Of v1" } });
    await b.post(form.id, post);
    expect((await b.legacy("GET", `/api/form/${form.id}/submissions`)).json.results).toBe(1);
    expect((await b.legacy("DELETE", `/api/form/${form.id}`)).json).toEqual({
      code: 200,
      title: "Deleted the form",
      message: "Your form was deleted.",
      type: "success",
    });
    expect((await b.call("GET", `/v1/forms/${form.id}`)).status).toBe(404);
    expect((await b.legacy("DELETE", `/api/form/${form.id}`)).json).toEqual({
      code: 404,
      title: "Not found",
      message: "There is no form with this id.",
      type: "error",
    });
  });
});
