import { exchange, type RemoteCaptcha, readSiteverify, siteverifyForm } from "./siteverify.ts";

/** hCaptcha; its enterprise score runs the other way (1 = surely a bot) and is left to the provider's own threshold. */
export const hcaptcha: RemoteCaptcha = {
  fields: ["h-captcha-response"],
  url: "https://api.hcaptcha.com/siteverify",
  async ask(question) {
    const answer = readSiteverify(await exchange({ ...question, body: siteverifyForm(question) }));
    if (answer.outcome !== "passed") return answer;
    return { outcome: "passed", hostname: answer.hostname === "not-provided" ? null : answer.hostname };
  },
};
