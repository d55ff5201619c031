import { dialect, honeypot } from "./_dialect.ts";

/** https://formsubmit.co, whose scripts compare `success` with a text. */
export const formsubmit = dialect({
  name: "formsubmit",
  addresses: [
    { path: "/formsubmit/:alias", by: ["alias"] },
    { path: "/formsubmit/ajax/:alias", by: ["alias"], json: true },
  ],
  special: { _honey: honeypot },
  dropped: ["_cc", "_captcha", "_template", "_autoresponse", "_webhook", "_blacklist", "_url"],
  success: ({ message }) => ({ success: "true", message }),
  failure: ({ message }) => ({ success: "false", message }),
});
