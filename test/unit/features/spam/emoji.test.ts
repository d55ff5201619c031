import { expect, it } from "vitest";
import { harness } from "../../../_support/backend.ts";

it.each(["🎰", "💊💊", "🇩🇪", "❤️"])("a word of emojis only, such as %s, makes posts with it spam", async (word) => {
  const b = harness({ rateLimit: false });
  const { id } = await b.forms.create({ name: "A", settings: { spam: { words: [word] } } });
  await b.post(id, { text: `Win${word} today` });
  await b.post(id, { text: "Win today" });
  const values = async (status: "spam" | "inbox") =>
    (await b.submissions.list(id, { status })).data.map(({ fields }) => fields[0]?.value);
  expect([await values("spam"), await values("inbox")]).toEqual([[`Win${word} today`], ["Win today"]]);
});
