import { byName, dialect, honeypot } from "./_dialect.ts";

/** https://formspark.io, which responds with the fields. */
export const formspark = dialect({
  name: "formspark",
  addresses: [{ path: "/formspark/:alias", by: ["alias", "id"] }],
  special: { _redirect: { as: "_next" }, _honeypot: honeypot },
  dropped: ["_append"],
  droppedPrefixes: ["_email.", "_feedback."],
  success: ({ fields }) => byName(fields),
  failure: ({ message }) => ({ error: message }),
});
