// What is asked of a form with very many submissions, as the API is asked.

/**
 * The hot reads of a form. `deep` leads to the page in the middle of its inbox, `ids` are of submissions with a delivery.
 * Each answers a path below the base URL; `i` tells one time of asking from the next.
 */
export function questions({ formId, webhookId }, { deep, ids, moments }) {
  const form = `/v1/forms/${formId}`;
  const log = `${form}/webhooks/${webhookId}/deliveries`;
  const pick = (list, i) => list[(i * 7919) % list.length];
  return {
    "newest page": () => `${form}/submissions?limit=25`,
    "deep cursor page": () => `${form}/submissions?limit=25&cursor=${encodeURIComponent(deep)}`,
    "spam page": () => `${form}/submissions?status=spam&limit=25`,
    "delivery log page": () => `${log}?limit=25`,
    "delivery log, deep": (i) => `${log}?limit=25&before=${pick(moments, i)}`,
    "delivery log, failing": () => `${log}?limit=25&status=retrying`,
    "field statistics": () => `${form}/fields`,
    retrieve: (i) => `${form}/submissions/${pick(ids, i)}`,
    "retrieve a delivery": (i) => `${log}/${pick(ids, i)}`,
  };
}

/** The same for the pages of the inbox, which somebody sees who may do everything. */
export function pages({ formId }, { deep, ids }) {
  const form = `/inbox/f/${formId}`;
  const pick = (list, i) => list[(i * 7919) % list.length];
  return {
    list: () => form,
    "list, deep": () => `${form}?cursor=${encodeURIComponent(deep)}`,
    "list, open": () => `${form}?state=open`,
    "list, done": () => `${form}?state=done`,
    "list, mine": () => `${form}?state=open&assignee=me`,
    "list, nobody's": () => `${form}?state=open&assignee=none`,
    "list, label": () => `${form}?label=${LABEL}`,
    "list, label and person": () => `${form}?state=open&assignee=me&label=${LABEL}`,
    "list, words": () => `${form}?words=visitor+sample`,
    spam: () => `${form}?status=spam`,
    submission: (i) => `${form}/s/${pick(ids, i)}`,
    "submission, 200 messages": () => `${form}/s/${ids[0]}`,
    "submission, deliveries": (i) => `${form}/s/${pick(ids, i)}?tab=delivery`,
    deliveries: () => `${form}/deliveries`,
    poll: () => `/inbox/poll?form=${formId}`,
    "all forms": () => "/inbox/all",
    "100 forms": () => "/inbox",
    statistics: () => `${form}/stats`,
    "search without a match": () => `${form}?q=nothing-like-this`,
    "words without a match": () => `${form}?words=nothing+like+this`,
  };
}

const LABEL = "urgent";
const MARKED = 2_000;
const ACTS = [
  { action: "label", label: LABEL },
  { action: "assign", assignee: { id: "ann", name: "Ann" } },
  { action: "done" },
];

/** Labels, assigns and closes some submissions all over the form, a different two thousand with each act. */
export async function workOn({ backend, formId }, ids) {
  const step = Math.max(ACTS.length, Math.floor(ids.length / MARKED));
  for (const [at, act] of ACTS.entries()) {
    const chosen = ids.filter((_, i) => i % step === at);
    for (let from = 0; from < chosen.length; from += 100)
      await backend.submissions.bulk(formId, { ...act, ids: chosen.slice(from, from + 100) });
  }
}

/** Asks for a path and answers the text; anything but a 200 is an error. A prefetch marks nothing as read. */
export async function askText(backend, key, path) {
  const headers = { authorization: `Bearer ${key}`, "sec-purpose": "prefetch" };
  const response = await backend.fetch(new Request(backend.baseUrl + path, { headers }));
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}: ${text}`);
  return text;
}

/** The same for JSON. */
export const ask = async (backend, key, path) => JSON.parse(await askText(backend, key, path));

/**
 * Walks half of a form's inbox page by page, checks that each row is older than the one before and shaped like a posted one, and
 * answers what `questions` needs.
 */
export async function walkToTheMiddle({ backend, key, formId }) {
  const form = `/v1/forms/${formId}`;
  const { count } = await ask(backend, key, `${form}/submissions/count`);
  let cursor = null;
  let last = "\uffff";
  const ids = [];
  const moments = [];
  for (let seen = 0; seen < count / 2; ) {
    const query = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await ask(backend, key, `${form}/submissions?limit=100${query}`);
    for (const { id, created_at, spam, fields } of page.data) {
      if (
        id >= last ||
        spam ||
        !fields.some(({ key: name, value }) => name === "email" && value.endsWith("@example.com"))
      ) {
        throw new Error(`the row ${id} is not as it was generated, or not in order`);
      }
      last = id;
      ids.push(id);
      moments.push(created_at);
    }
    seen += page.data.length;
    cursor = page.next_cursor;
  }
  return { count, deep: cursor, ids, moments };
}
