import { dialect, honeypot } from "./_dialect.ts";

/** https://www.staticforms.dev. `@` as the address for replies means the field `email`, which is the default anyway. */
export const staticforms = dialect({
  name: "staticforms",
  addresses: [{ path: "/submit", by: ["alias", "id"] }],
  keyFields: ["accessKey", "apiKey"],
  special: {
    subject: { as: "_subject", kept: true },
    replyTo: { as: "_replyto", ignored: "@" },
    redirectTo: { as: "_next" },
    honeypot,
  },
  success: ({ message }) => ({ success: true, message }),
  failure: ({ message }) => ({ success: false, message }),
});
