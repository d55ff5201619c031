import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { useFormspark } from "@formspark/use-formspark";
import { createClient, isSubmissionError } from "@formspree/core";
import { useSubmit } from "@formspree/react";
import useWeb3Forms from "@web3forms/react";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { expect, it, onTestFinished, vi } from "vitest";
import { formBackend } from "../../../../adapters/node.ts";
import { dialectNames } from "../../../../src/model/dialects.ts";
import { createTestBackend } from "../../../../src/surfaces/testing/backend.ts";

const ALIAS = "xyzabcde";

/** A backend on a socket, with one form that has an alias and a key. */
async function serve() {
  const b = createTestBackend({ dialects: [...dialectNames], rateLimit: false });
  const rules = [{ field: "email", checks: [{ type: "required" as const }, { type: "email" as const }] }];
  const { id } = await b.forms.create({
    name: "A",
    validation: { rules },
    settings: { key: "contact", aliases: [ALIAS] },
  });
  const handle = formBackend(b);
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await b.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/forms`;
  const stored = async () => (await b.submissions.list(id)).data.map(({ fields }) => fields);
  return { base, stored, id };
}

/** Calls a hook as a component does, and answers what it gives. */
function hooked<T>(hook: () => T): T {
  let given: T | undefined;
  renderToString(
    createElement(() => {
      given = hook();
      return null;
    }),
  );
  return given as T;
}

/** Sends the requests of a client whose URL is written into it to another one: the one change that its page needs. */
function swapped(from: string, to: string): void {
  const real = globalThis.fetch;
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
    expect(String(url).startsWith(from)).toBe(true);
    return real(String(url).replace(from, to), init);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
}

const good = [
  { key: "email", value: "ann@example.com" },
  { key: "message", value: "Hi" },
];
const data = { email: "ann@example.com", message: "Hi" };

it.each([
  ["by the id of before", undefined, ALIAS],
  ["by project and key", "default", "contact"],
])("@formspree/core is answered as it expects: %s", async (_, project, key) => {
  const { base, stored } = await serve();
  const client = createClient(project === undefined ? {} : { project });
  const accepted = await client.submitForm(key, data, { endpoint: base });
  expect(accepted).toEqual({ kind: "success", next: expect.stringMatching(/^http.*\/thanks\//) });
  expect(await stored()).toEqual([good]);
  const form = new FormData();
  form.append("email", "ann");
  const refused = await client.submitForm(key, form, { endpoint: base });
  if (!isSubmissionError(refused)) throw new Error("an address that is none was taken");
  expect(refused.getFieldErrors("email")).toEqual([{ code: "TYPE_EMAIL", message: expect.any(String) }]);
  expect(refused.getFormErrors()).toEqual([]);
});

it.each([
  ["an unknown form", "nothing", { a: "1" }, "FORM_NOT_FOUND"],
  ["nothing filled in", ALIAS, { a: "" }, "EMPTY"],
])("@formspree/core knows what is wrong: %s", async (_, key, sent, code) => {
  const { base } = await serve();
  const refused = await createClient().submitForm(key, sent, { endpoint: base });
  if (!isSubmissionError(refused)) throw new Error("it was taken");
  expect(refused.getFormErrors()).toEqual([{ code, message: expect.any(String) }]);
});

it("@formspree/react is answered as it expects", async () => {
  const { base, stored } = await serve();
  const submit = hooked(() => useSubmit(ALIAS, { client: createClient(), origin: base }));
  expect(await submit(data)).toMatchObject({ kind: "success" });
  const refused = await submit({ email: "ann" });
  if (!isSubmissionError(refused)) throw new Error("an address that is none was taken");
  expect(refused.getAllFieldErrors()).toEqual([["email", [{ code: "TYPE_EMAIL", message: expect.any(String) }]]]);
  expect(await stored()).toEqual([good]);
});

it("@web3forms/react is answered as it expects, with its URL swapped", async () => {
  const { base, stored } = await serve();
  swapped("https://api.web3forms.com", base);
  const [onSuccess, onError] = [vi.fn(), vi.fn()];
  const settings = { subject: "New", from_name: "Site" };
  const { submit } = useWeb3Forms({ access_key: ALIAS, settings, onSuccess, onError });
  await submit(data);
  expect(onSuccess).toHaveBeenCalledWith(expect.any(String), expect.objectContaining({ success: true }));
  expect(await stored()).toEqual([[{ key: "subject", value: "New" }, ...good]]);
  await submit({ email: "ann" });
  expect(onError).toHaveBeenCalledWith(expect.any(String), expect.objectContaining({ success: false }));
});

it("@formspark/use-formspark is answered as it expects, with its URL swapped", async () => {
  const { base, stored } = await serve();
  swapped("https://submit-form.com", `${base}/formspark`);
  const [submit] = hooked(() => useFormspark({ formId: ALIAS }));
  await submit(data);
  expect(await stored()).toEqual([good]);
  await expect(submit({ email: "ann" })).rejects.toMatchObject({ status: 422 });
});
