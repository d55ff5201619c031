import { byName, dialect, honeypot } from "./_dialect.ts";

/** https://web3forms.com. Older pages read `body` and `statusCode`, newer ones `message` and `data`. */
export const web3forms = dialect({
  name: "web3forms",
  addresses: [
    { path: "/submit", by: ["alias", "id"] },
    { path: "/submit/:alias", by: ["alias", "id"] },
  ],
  keyFields: ["access_key", "apikey"],
  special: {
    subject: { as: "_subject", kept: true },
    replyto: { as: "_replyto" },
    redirect: { as: "_next" },
    botcheck: honeypot,
    recaptcha_response: { as: "g-recaptcha-response" },
  },
  dropped: ["from_name", "ccemail", "webhook"],
  success({ message, fields }) {
    const data = byName(fields);
    return { success: true, message, data, statusCode: 200, body: { message, data } };
  },
  failure: ({ message, status }) => ({ success: false, message, statusCode: status, body: { message } }),
});
