import type { Tool } from "./tool.ts";
import { formTools, formTrialTools } from "./tools-forms.ts";
import { submissionTools } from "./tools-submissions.ts";
import { webhookTools } from "./tools-webhooks.ts";

const backtest: Tool = {
  name: "backtest_spam",
  title: "Try spam settings",
  description: "Says what other spam settings would have done with the newest submissions of a form. Changes nothing.",
  operation: "backtestSpam",
  kind: "read",
};

// Forgetting is left to people: what a visitor wrote must not talk an agent into it.
const spamModel: Tool = {
  name: "get_spam_model",
  title: "Get the spam model",
  description: "What a team's marks of spam have taught, and how well it works.",
  operation: "getSpamModel",
  kind: "read",
};

/** Every tool, in the order of the list. */
export const tools: readonly Tool[] = [
  ...formTools,
  ...submissionTools,
  ...webhookTools,
  ...formTrialTools,
  backtest,
  spamModel,
];
