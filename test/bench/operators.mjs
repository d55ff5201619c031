// Questions for a host with thousands of teams: the operator's pages, and calls of its own program.

const AT_ONCE = 64;
/** Goals in ms of what takes longer than a page: a text that no team has is sought in all of them, 2,000 in a page. */
export const operatorGoals = {
  "operator: teams by a text, found last": 250,
  "operator: teams by a text without a match": 250,
};

/** Runs `run` for each number below `count`, some at once. */
export async function each(count, run) {
  let next = 0;
  const one = async () => {
    for (let n = next++; n < count; n = next++) await run(n);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

export const teamOf = (n) => `customer_${String(n).padStart(5, "0")}`;

/** Questions of a host with `teams` teams, by their names: the operator's pages, and calls of its own program. `forms` are some with submissions. */
export async function operatorQuestions(backend, { formId, forms, teams }) {
  const page = (path) => async () => {
    const response = await backend.fetch(new Request(`${backend.baseUrl}/inbox/operator${path}`));
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}: ${text}`);
  };
  const find = (text) => async () => {
    const origin = new URL(backend.baseUrl).origin;
    const headers = { origin, "sec-fetch-site": "same-origin", "content-type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams({ q: text });
    const response = await backend.fetch(
      new Request(`${backend.baseUrl}/inbox/operator/find`, { method: "POST", headers, body }),
    );
    if (response.status !== 200 || !(await response.text()).includes("<tr")) throw new Error(`${text} was not found`);
  };
  let cursor = null;
  for (let n = 0; n < teams / 200; n++)
    cursor = (await backend.teams.list({ limit: 100, ...(cursor && { cursor }) })).next_cursor;
  const month = new Date().toISOString().slice(0, 7);
  const last = teamOf(teams - 1);
  const { data } = await backend.submissions.list(forms[forms.length - 1], { limit: 1 });
  return {
    "operator: teams": page(""),
    "operator: teams by a text, found last": page(`?q=${last}`),
    "operator: teams by a text without a match": page("?q=nobody-has-this"),
    "operator: a team": page(`/team?team=${last}`),
    "operator: the team of the submissions": page("/team?team=default"),
    "operator: find a team": find(last),
    "operator: find a form": find(formId),
    "operator: find a submission": find(data[0].id),
    "operator: queue": page("/queue"),
    "operator: reports": page("/reports"),
    "operator: locks": page("/locks"),
    "teams.list, 100": () => backend.teams.list({ limit: 100 }),
    "teams.list, 100 in the middle": () => backend.teams.list({ limit: 100, ...(cursor && { cursor }) }),
    "teams.ensure": () => backend.teams.ensure(last, { name: "Customer" }),
    "forms.list of a team": () => backend.forms.list({ team_id: last, limit: 100 }),
    "usage, 100 teams": () => backend.usage({ month, limit: 100 }),
  };
}
