import { dialect, honeypot } from "./_dialect.ts";

/** Netlify Forms, whose pages post to their own address: the host routes those posts here. Scripts look at the status alone. */
export const netlify = dialect({
  name: "netlify",
  addresses: [{ path: "/netlify", by: ["key", "alias"] }],
  keyFields: ["form-name"],
  special: { "bot-field": honeypot, subject: { as: "_subject", kept: true } },
});
