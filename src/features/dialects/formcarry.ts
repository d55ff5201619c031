import { dialect } from "./_dialect.ts";

/** https://formcarry.com, whose fields and responses are like ours. */
export const formcarry = dialect({ name: "formcarry", addresses: [{ path: "/s/:alias", by: ["id", "alias"] }] });
