import { expect, it } from "vitest";
import {
  formcarryApi,
  formspreeApi,
  formspreeJsonRows,
  netlifyApi,
  type ServiceForm,
} from "../../../../src/surfaces/import/index.ts";
import { harness } from "../../../_support/backend.ts";

interface Call {
  readonly url: URL;
  readonly headers: Headers;
}

/** A service that answers like this, and the calls it got. */
function service(answer: (url: URL, call: number) => unknown) {
  const calls: Call[] = [];
  const given: ServiceForm = {
    form: "f/1",
    key: "k",
    fetch: async (input, init) => {
      const url = new URL(String(input));
      calls.push({ url, headers: new Headers(init?.headers) });
      const answered = answer(url, calls.length);
      return answered instanceof Response ? answered : Response.json(answered);
    },
  };
  return { calls, given };
}

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const row of rows) list.push(row);
  return list;
}

it("formspreeApi reads page after page, then spam, with the key as Basic", async () => {
  const items = Array.from({ length: 150 }, (_, n) => ({
    _date: "2018-11-03T07:28:29.707632",
    _id: n,
    email: `v${n}`,
    _status: { a: {} },
  }));
  const { calls, given } = service(({ searchParams: query }) => {
    const list = query.get("spam") ? [{ _date: "2018-11-03T07:28:29", message: "junk", date: "soon" }] : items;
    const offset = Number(query.get("offset"));
    return { fields: [], submissions: list.slice(offset, offset + Number(query.get("limit"))) };
  });
  const rows = await all(formspreeApi(given));
  expect(rows).toHaveLength(151);
  expect(rows[0]).toEqual({
    created_at: "2018-11-03T07:28:29.707632",
    fields: { email: "v0" },
    source_id: "0",
    spam: false,
  });
  expect(rows[150]).toEqual({
    created_at: "2018-11-03T07:28:29",
    fields: { message: "junk", date: "soon" },
    source_id: null,
    spam: true,
  });
  expect(calls[0]?.url.href).toBe("https://formspree.io/api/0/forms/f%2F1/submissions?limit=100&offset=0&order=asc");
  expect(calls[0]?.headers.get("authorization")).toBe(`Basic ${btoa(":k")}`);
});

it("netlifyApi reads page after page, then spam, and takes what it knows of the visitor out of the data", async () => {
  const { calls, given } = service(({ searchParams: query }) =>
    query.get("page") === "1" && !query.get("state")
      ? [
          {
            id: "5cd8",
            number: 1,
            created_at: "2019-05-13T01:02:03.004Z",
            data: { name: "Ann", ip: "192.0.2.1", user_agent: "UA", referrer: "https://a.test/" },
          },
        ]
      : [],
  );
  expect(await all(netlifyApi(given))).toEqual([
    {
      created_at: "2019-05-13T01:02:03.004Z",
      fields: { name: "Ann" },
      source_id: "5cd8",
      spam: false,
      ip: "192.0.2.1",
      user_agent: "UA",
      referer: "https://a.test/",
    },
  ]);
  expect(calls.map(({ url }) => url.search)).toEqual([
    "?page=1&per_page=100",
    "?page=2&per_page=100",
    "?page=1&per_page=100&state=spam",
  ]);
  expect(calls[0]?.headers.get("authorization")).toBe("Bearer k");
});

it("formcarryApi reads the API that this library speaks as well, and a second import stores nothing", async () => {
  const b = harness({ rateLimit: false });
  const [from, to] = [
    await b.forms.create({ name: "A", spam: { protection: false } }),
    await b.forms.create({ name: "B" }),
  ];
  for (let n = 0; n < 60; n++) {
    await b.clock.advance(1_000);
    await b.post(from.id, `email=v${n}%40example.com&_gotcha=${n % 10 === 0 ? "bot" : ""}`);
  }
  const rows = () =>
    formcarryApi({
      form: from.id,
      key: b.key,
      endpoint: b.baseUrl,
      fetch: (input, init) => b.fetch(new Request(input as string, init)),
    });
  // Their ids are those of submissions of another form here.
  for (const imported of [60, 0]) {
    expect(await b.submissions.import(to.id, rows(), { source: "formcarry" })).toEqual({
      imported,
      skipped: 60 - imported,
      failed: [],
    });
  }
  const shown = async (id: string, status: "inbox" | "spam") =>
    (await b.submissions.list(id, { status, limit: 100 })).data.map(({ created_at, fields, spam }) => ({
      created_at,
      fields,
      spam,
    }));
  for (const status of ["inbox", "spam"] as const)
    expect(await shown(to.id, status)).toEqual(await shown(from.id, status));
});

it("ends where a service sends the same page again, and fails with a sentence where it answers something else", async () => {
  const same = service(() => [{ id: "1", created_at: "2019-05-13", data: { a: "1" } }]);
  expect(await all(netlifyApi(same.given))).toHaveLength(2);
  const other = service(() => ({ error: "no" }));
  await expect(all(netlifyApi(other.given))).rejects.toThrow("api.netlify.com returned no list of submissions");
});

it("doesn't go on where a service refuses the key", async () => {
  const { calls, given } = service(() => new Response("{}", { status: 401 }));
  await expect(all(formspreeApi(given))).rejects.toMatchObject({ status: 401 });
  expect(calls).toHaveLength(1);
});

it("formspreeJsonRows reads the export, and refuses other files", async () => {
  const file = {
    host: "a.test",
    email: "a@example.com",
    fields: ["name"],
    submissions: [{ id: 7, date: "2020-01-02T03:04:05", name: "Ann" }],
  };
  expect(await all(formspreeJsonRows(JSON.stringify(file)))).toEqual([
    { created_at: "2020-01-02T03:04:05", fields: { name: "Ann" }, source_id: "7", spam: false },
  ]);
  for (const text of ["", "{}", "no json", '{"submissions":5}']) {
    await expect(all(formspreeJsonRows(text))).rejects.toThrow("no JSON export of Formspree");
  }
});
