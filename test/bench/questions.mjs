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

/** Asks for a path and answers the JSON; anything but a 200 is an error. */
export async function ask(backend, key, path) {
  const request = new Request(backend.baseUrl + path, { headers: { authorization: `Bearer ${key}` } });
  const response = await backend.fetch(request);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}: ${text}`);
  return JSON.parse(text);
}

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
