import { dialect } from "./_dialect.ts";

/** https://usebasin.com. */
export const basin = dialect({
  name: "basin",
  addresses: [{ path: "/basin/:alias", by: ["alias", "id"] }],
  success: () => ({ success: true }),
  failure: ({ message }) => ({ error: message }),
});
