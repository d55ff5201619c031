import { dialect } from "./_dialect.ts";

/** https://formcarry.com, whose fields and answers are ours. */
export const formcarry = dialect({ name: "formcarry", addresses: [{ path: "/s/:alias", by: ["id", "alias"] }] });
