// A long conversation under one submission, as answers and mails that come back make it.

const MESSAGES = 200;
const MINUTE_MS = 60_000;
const SECRET = "the secret of the benchmark's pipe";

/** Writes 200 messages under a submission, half of them mails that quote the answers. `backendWith` makes a backend on the store. */
export async function converse(backendWith, { rawInbound }, formId, submissionId) {
  // A mail every third minute up to now: a team may send 100 answers an hour, and a conversation get 60 mails.
  let at = Date.now() - 3 * MESSAGES * MINUTE_MS;
  const backend = backendWith({
    clock: { now: () => at, setTimer: () => () => {} },
    inbound: { domain: "in.example.com", providers: [rawInbound({ secret: SECRET })] },
  });
  const host = new URL(backend.baseUrl).hostname;
  const headers = { authorization: `Bearer ${SECRET}`, "content-type": "message/rfc822" };
  for (let n = 0; n < MESSAGES / 2; n++) {
    at += 3 * MINUTE_MS;
    const text = `Answer ${n}. ${"We would be glad to bake a cake for you. ".repeat(5)}`;
    const { id, to } = await backend.messages.send(formId, submissionId, { text });
    at += 3 * MINUTE_MS;
    const body = [
      `From: ${to[0]}`,
      "To: reply@in.example.com",
      "Subject: Re: Contact",
      `Message-ID: <back${n}@example.com>`,
      `In-Reply-To: <${id}@${host}>`,
      "Content-Type: text/plain; charset=utf-8",
      "",
      `Mail ${n}. ${"Thank you, and another question comes to my mind. ".repeat(5)}`,
      "",
      "On Thu, 1 Jan 2026 at 09:00, Bakery <forms@example.com> wrote:",
      ...Array.from({ length: 12 }, () => `> ${text.slice(0, 70)}`),
    ].join("\r\n");
    const request = new Request(`${backend.baseUrl}/inbound/raw`, { method: "POST", headers, body });
    const { result } = await (await backend.handle(request)).json();
    if (result !== "stored") throw new Error(`a mail of the conversation was ${result}`);
  }
  const { data } = await backend.messages.list(formId, submissionId);
  if (data.length !== MESSAGES) throw new Error(`the conversation has ${data.length} messages`);
  await backend.close();
}
