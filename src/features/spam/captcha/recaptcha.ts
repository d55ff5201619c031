import { exchange, type RemoteCaptcha, readSiteverify, siteverifyForm } from "./siteverify.ts";

const MIN_SCORE = 0.5;

/** reCAPTCHA v2 and v3 share keys and protocol; a reply with a score is v3's. */
export const recaptcha: RemoteCaptcha = {
  fields: ["g-recaptcha-response"],
  url: "https://www.google.com/recaptcha/api/siteverify",
  async ask(question) {
    const answer = readSiteverify(await exchange({ ...question, body: siteverifyForm(question) }));
    if (answer.outcome !== "passed" || answer.score === undefined || answer.score >= MIN_SCORE) return answer;
    return { outcome: "failed", reason: `score ${answer.score}` };
  },
};
