// Two forms in databases of their own, one with very many submissions and one with few, asked the same questions in turn.
import { execFileSync } from "node:child_process";
import { setImmediate } from "node:timers/promises";
import { createFormBackend } from "form-backend";
import { rawInbound } from "form-backend/inbound";
import { inbox } from "form-backend/inbox";
import { converse } from "../conversation.mjs";
import { generate } from "../generate.mjs";
import { askText, pages, questions, walkToTheMiddle, workOn } from "../questions.mjs";
import { openStores } from "./million-stores.mjs";
import { report } from "./report.mjs";

/** Field statistics look at 2,000 submissions each time, and a search counts its hits for 300 ms. */
const TIMES = {
  "field statistics": 150,
  statistics: 5,
  "list, words": 100,
  "search without a match": 3,
  "words without a match": 3,
};
const USUAL_TIMES = 600;
const WARM = 30;
const { ENGINE, DATABASE, ROWS, FEW, INBOX, QUESTIONS } = process.env;
/** True for the questions that `QUESTIONS` names, separated by semicolons; without it for all. */
const isAsked = (question) => !QUESTIONS || QUESTIONS.split(";").includes(question);
/** Forms beside the one that is asked. */
const MORE_FORMS = INBOX ? 99 : 0;

function backendOn(storage, more = {}) {
  return createFormBackend({
    baseUrl: "http://127.0.0.1/forms",
    secret: "a secret for the benchmark, 32 chars",
    storage,
    country: "x-country",
    rateLimit: false,
    work: false,
    ...(INBOX && {
      inbox: inbox({ authenticate: () => ({ id: "ann", name: "Ann", team_ids: ["default"], role: "editor" }) }),
    }),
    webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
    ...more,
  });
}

async function prepare(name, rows) {
  const stores = await openStores(ENGINE, `${DATABASE}_${name}`);
  const { key, formId, webhookId } = await stores.generating(async (storage, sql) => {
    const backend = backendOn(storage);
    const { key: secret } = await backend.keys.create({ name: "Bench", scopes: "all" });
    for (let i = 0; i < MORE_FORMS; i++) await backend.forms.create({ name: `Form ${i}` });
    const facts = await generate(backend, secret, sql, rows);
    await backend.close();
    return facts;
  });
  const backend = backendOn(await stores.storage());
  const facts = { backend, key, formId, webhookId };
  const walked = await walkToTheMiddle(facts);
  if (INBOX) await workOn(facts, walked.ids);
  if (INBOX) {
    const storage = await stores.storage();
    await converse((more) => backendOn(storage, more), { rawInbound }, formId, walked.ids[0]);
  }
  return { stores, facts, asked: (INBOX ? pages : questions)(facts, walked) };
}

let few;
let many;
report(
  {},
  {
    /** Seconds that it took to write and walk them. */
    async prepare() {
      const started = performance.now();
      few = await prepare("few", Number(FEW));
      many = await prepare("many", Number(ROWS));
      // Or a commit of the first questions waits until the system has written a gigabyte of rows.
      execFileSync("sync");
      return (performance.now() - started) / 1000;
    },
    /** Milliseconds of each time of asking, by question. */
    async measure() {
      const found = {};
      for (const question of Object.keys(many.asked).filter(isAsked)) {
        for (const { stores } of [few, many]) await stores.warm();
        const times = TIMES[question] ?? USUAL_TIMES;
        const warm = Math.min(WARM, times);
        const taken = { few: [], many: [] };
        for (let i = -warm; i < times; i++) {
          // In turn, or what comes at intervals, such as collections of garbage, would fall on one of them only.
          const both = Object.entries({ few, many });
          for (const [name, { facts, asked }] of i % 2 === 0 ? both : both.reverse()) {
            const path = asked[question](i + WARM);
            const started = performance.now();
            await askText(facts.backend, facts.key, path);
            if (i >= 0) taken[name].push(performance.now() - started);
            // As between two requests of a server: without it, all that was asked so far would count as one turn of the loop.
            await setImmediate();
          }
        }
        found[question] = taken;
      }
      return found;
    },
    /** The statements behind a question, with the database's plan for each. */
    plans: (question) =>
      many.stores.watching(async (storage, plans) => {
        const backend = backendOn(storage);
        const path = many.asked[question](1);
        await askText(backend, many.facts.key, path);
        await plans();
        await askText(backend, many.facts.key, path);
        const seen = await plans();
        await backend.close();
        return seen;
      }),
    async stop() {
      for (const each of [few, many]) {
        await each?.facts.backend.close();
        await each?.stores.close();
      }
    },
  },
);
