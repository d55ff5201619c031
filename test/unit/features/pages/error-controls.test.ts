import { expect, onTestFinished, test } from "vitest";
import type { Check } from "../../../../src/model/rules.ts";
import { type Answer, type Harness, harness } from "../../../_support/backend.ts";

const PAGE = { accept: "text/html", "sec-fetch-mode": "navigate" };
type Checks = Record<string, readonly Partial<Check>[]>;

async function formWith(checks: Checks): Promise<{ b: Harness; id: string }> {
  const b = harness();
  onTestFinished(() => b.close());
  const rules = Object.entries(checks).map(([field, list]) => ({ field, checks: list as Check[] }));
  return { b, id: (await b.forms.create({ name: "A", validation: { rules } })).id };
}

async function refused(checks: Checks, body: string | FormData): Promise<Answer> {
  const { b, id } = await formWith(checks);
  return b.post(id, body, PAGE);
}

/** Every control of the page with its type, in order; those that nobody sees in brackets. */
const controlsOf = (text: string): string[] =>
  [...text.matchAll(/<(input|select|textarea|option)([^>]*)>/g)].map(([, tag, attributes = ""]) => {
    const of = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1];
    const type = of("type") ?? tag;
    const shown = `${type} ${of("name") ?? of("value") ?? ""}${tag === "input" ? `=${of("value") ?? ""}` : ""}${/ checked| selected/.test(attributes) ? " ✓" : ""}`;
    return type === "hidden" ? `(${shown.slice(7)})` : shown.trim();
  });

const required = { type: "required" } as const;

test.each<[name: string, checks: Checks, body: string, controls: string[]]>([
  ["an email", { email: [{ type: "email" }] }, "name=Ann&email=x", ["(name=Ann)", "input email=x"]],
  ["a checkbox that was not ticked", { terms: [required] }, "name=Ann", ["(name=Ann)", "checkbox terms=on"]],
  ["radio buttons whose choices nobody knows", { topic: [required] }, "a=1", ["(a=1)", "input topic="]],
  [
    "a checkbox with a value of its own",
    { terms: [{ type: "equals", value: "yes" }, required] },
    "a=1",
    ["(a=1)", "checkbox terms=yes"],
  ],
  [
    "an answer is not told",
    { question: [{ type: "equals", value: "four" }, required] },
    "a=1",
    ["(a=1)", "textarea question"],
  ],
  [
    "radio buttons that were not chosen",
    { plan: [required, { type: "one_of", value: "free, team" }] },
    "a=1",
    ["(a=1)", "radio plan=free", "radio plan=team"],
  ],
  [
    "checkboxes of one name",
    { tag: [{ type: "one_of", value: "a,b" }] },
    "tag=a&tag=z",
    ["checkbox tag=a ✓", "checkbox tag=b"],
  ],
  [
    "a list of many",
    { size: [{ type: "one_of", value: "1,2,3,4,5,6,7" }] },
    "size=9",
    ["select size", "option", "option", "option", "option", "option", "option", "option", "option"],
  ],
  ["a long text", { text: [{ type: "min_length", value: "200" }] }, "text=short", ["textarea text"]],
  ["a date", { day: [{ type: "date" }, required] }, "a=1&day=", ["(a=1)", "date day="]],
  ["a date in words", { day: [{ type: "date" }] }, "day=tomorrow", ["input day=tomorrow"]],
  ["a phone number", { phone: [{ type: "phone" }] }, "phone=x", ["tel phone=x"]],
  [
    "two inputs of one name",
    { email: [{ type: "email" }] },
    "email=a%40b.co&email=x&z=1",
    ["input email=a@b.co", "input email=x", "(z=1)"],
  ],
  [
    "what is secret is asked for again, also where it was right",
    { email: [{ type: "email" }] },
    "email=x&Password=hunter2&card_number=4111&api_token=t0k3n&cvv=123&ssn=9&client_secret=s3cr3t&_token=t",
    [
      "(_token=t)",
      "input email=x",
      "password Password=",
      "password card_number=",
      "password api_token=",
      "password cvv=",
      "password ssn=",
      "password client_secret=",
    ],
  ],
  [
    "a secret that is wrong",
    { password: [{ type: "min_length", value: "8" }] },
    "a=1&password=hunter2",
    ["(a=1)", "password password="],
  ],
])("%s", async (_, checks, body, controls) => {
  const { status, text } = await refused(checks, body);
  expect([status, controlsOf(text)]).toEqual([422, controls]);
  expect(text).not.toMatch(/hunter2|4111|t0k3n|s3cr3t/);
});

test("what was kept and corrected is stored as if it had been right at once", async () => {
  const { b, id } = await formWith({ email: [{ type: "email" }] });
  const { text } = await b.post(id, "a=1&email=x&message=two%0D%0Alines&a=2", PAGE);
  const fields = [...text.matchAll(/<input[^>]* name="([^"]*)"[^>]* value="([^"]*)"/g)];
  const again = new URLSearchParams(
    fields.map(([, name = "", value = ""]): [string, string] => [name, name === "email" ? "a@b.co" : value]),
  );
  expect((await b.post(id, again.toString(), PAGE)).status).toBe(303);
  const { data } = await b.submissions.list(id);
  expect(data[0]?.fields).toEqual([
    { key: "a", value: "1" },
    { key: "email", value: "a@b.co" },
    { key: "message", value: "two\r\nlines" },
    { key: "a", value: "2" },
  ]);
});

test("a file is asked for again; an input that nobody used is not there", async () => {
  const body = new FormData();
  body.append("email", "x");
  body.append("cv", new File(["My life"], "cv.txt", { type: "text/plain" }));
  body.append("photo", new File([], ""));
  const { text } = await refused({ email: [{ type: "email" }] }, body);
  expect(controlsOf(text)).toEqual(["input email=x", "file cv="]);
  expect(text).toContain("Please choose the file again.");
  expect(text).toContain('enctype="multipart/form-data"');
});

test("a file that is not taken has its message beside it", async () => {
  const body = new FormData();
  body.append("name", "Ann");
  body.append("cv", new File(["<script>alert(1)</script>"], "cv.txt", { type: "text/plain" }));
  const { status, text } = await refused({}, body);
  expect(status).toBe(415);
  expect(text).toMatch(
    /<input type="file"[^>]* aria-invalid="true"[^>]*>.*<p class="error" id="file-0-error">The file in “cv”/,
  );
  expect(text).toContain('value="Ann"');
});

test("without a field that is wrong nothing but the button is shown", async () => {
  const b = harness({ spam: { checks: [] } });
  const { id } = await b.forms.create({ name: "A" });
  await b.post(id, "a=1&_idempotency_key=k", PAGE);
  const { status, text } = await b.post(id, "a=2&_idempotency_key=k", PAGE);
  expect([status, controlsOf(text)]).toEqual([422, ["(a=2)"]]);
  expect(text).toContain("<h1>Already sent</h1>");
  expect((await b.post(id, "a=2", PAGE)).status).toBe(303);
});

test.each([
  ["nothing at all", "a=&b=", 400, "Nothing to send", ["input a=", "input b="]],
  ["JSON as urlencoded", '{"a":"1"}', 400, "The form could not be read", []],
  ["a name that is too long", `a=1&${"x".repeat(201)}=2`, 413, "Too large", ["input a=1"]],
])("%s has a title of its own", async (_, body, status, title, controls) => {
  const answer = await refused({}, body as string);
  expect([answer.status, controlsOf(answer.text)]).toEqual([status, controls]);
  expect(answer.text).toContain(`<h1>${title}</h1>`);
});

test("a body that was cut off shows what has arrived, and says so", async () => {
  const { b, id } = await formWith({});
  const body =
    '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b\r\nContent-Disposition: form-data; name="c"\r\n\r\n2';
  const { status, text } = await b.post(id, body, { ...PAGE, "content-type": "multipart/form-data; boundary=b" });
  expect([status, controlsOf(text)]).toEqual([400, ["input a=1"]]);
  expect(text).toContain("<h1>The form could not be read</h1>");
  expect(text).toContain("Not all of the form has arrived.");
});

test("where nothing can be sent, what was written is there to be copied, and no secret", async () => {
  const b = harness({ plans: { none: { files: false } } });
  await b.teams.create({ id: "small", name: "Small", plan: "none" });
  const { id } = await b.forms.create({ name: "A" }, { team_id: "small" });
  const body = new FormData();
  body.append("message", "Hello");
  body.append("password", "hunter2");
  body.append("cv", new File(["My life"], "cv.txt", { type: "text/plain" }));
  const { status, text } = await b.post(id, body, PAGE);
  expect(status).toBe(403);
  expect(text).not.toMatch(/<form|hunter2/);
  expect(text).toMatch(/ readonly.*Hello/s);
});
