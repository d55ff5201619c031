// A team at its worst: what it sets up, and what it sends. The benchmark `fair` and a test run it beside a team that only posts.
import { once } from "node:events";
import { createServer } from "node:net";

const NESTED = 8;
const names = "abcdefgh";
const opened = Array.from({ length: NESTED }, (_, at) => `{{#${names[at]}}}{{#fields}}{{key}}{{/fields}}`).join("");
const closed = Array.from({ length: NESTED }, (_, at) => `{{/${names[NESTED - 1 - at]}}}`).join("");
/** About 100 KB that the renderer goes through for each mail. */
const template = `<p>${opened}${closed}</p>`.repeat(300);

/** A mail server on this machine; a `silent` one logs everybody in and then never says whether it takes a mail. */
export async function mailServer({ silent }) {
  const sockets = new Set();
  const recipients = [];
  const server = createServer((socket) => {
    let inMail = false;
    let rest = "";
    const say = (line) => socket.write(`${line}\r\n`);
    const reply = (line) => {
      if (inMail) {
        if (line !== ".") return;
        inMail = false;
        return say("250 taken");
      }
      if (/^MAIL/i.test(line) && silent) return;
      const [, to] = /^RCPT TO:<(.*)>/i.exec(line) ?? [];
      if (to) recipients.push(to);
      inMail = /^DATA/i.test(line);
      say(inMail ? "354 go on" : /^QUIT/i.test(line) ? "221 bye" : "250 ok");
    };
    sockets.add(socket.on("error", () => {}).on("close", () => sockets.delete(socket)));
    socket.setEncoding("latin1").on("data", (chunk) => {
      const lines = (rest + chunk).split("\r\n");
      rest = lines.pop();
      for (const line of lines) reply(line);
    });
    say("220 ready");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: server.address().port,
    /** Addresses that a mail was for, in order. */
    recipients,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/**
 * Makes the forms of the team, in process: `mailed` writes heavy mails to a server of the team that never answers, `read` has
 * large submissions, `ruled` gets new rules all the time, `filled` takes files and images.
 */
export async function prepareWorst(backend, { team, server, rows }) {
  const create = (name, more = {}) =>
    backend.forms.create({ name, spam: { protection: false }, ...more }, { team_id: team });
  const { id: server_id } = await backend.emailServers.create({
    name: "Silent",
    host: "127.0.0.1",
    port: server,
    from: "team@example.com",
    team_id: team,
  });
  const recipients = Array.from({ length: 10 }, (_, at) => `owner${at}@example.com`);
  const mailed = await create("Mailed", {
    self_email_notification: { recipients, sender: { server_id }, template: { html: template } },
    auto_response: { enabled: true, template: { message: "{{#fields}}{{a}}{{/fields}}".repeat(300) } },
  });
  const [read, ruled, filled] = [await create("Read"), await create("Ruled"), await create("Filled")];
  const long = "word ".repeat(12_000);
  for (let at = 0; at < rows; at++) {
    await backend.submit(read.id, {
      fields: { n: String(at), a: `${long}${at}`, b: `${long}b${at}`, c: `${long}c${at}` },
    });
  }
  const keys = [];
  for (let at = 0; at < 20; at++) {
    keys.push((await backend.keys.create({ name: `k${at}`, scopes: "all", team_id: team })).key);
  }
  return { mailed: mailed.id, read: read.id, ruled: ruled.id, filled: filled.id, keys };
}

let sent = 0;
/** Another address each time, as a proxy in front of the app would forward it: rates by address hold nothing up. */
export const address = () => {
  sent += 1;
  return `198.${18 + ((sent >> 16) & 1)}.${(sent >> 8) & 255}.${sent & 255}`;
};

/** What the team sends: each function sends one request and answers its status. */
export function attacks(base, facts) {
  let turn = 0;
  const send = async (path, init, headers = {}) => {
    const response = await fetch(`${base}${path}`, { ...init, headers: { "x-forwarded-for": address(), ...headers } });
    await response.arrayBuffer();
    return response.status;
  };
  const bearer = () => ({ authorization: `Bearer ${facts.keys[turn++ % facts.keys.length]}` });
  const post = (form, body) =>
    send(`/f/${form}`, { method: "POST", body }, { accept: "application/json", "sec-fetch-mode": "cors" });
  const manage = (path, method = "GET", body = undefined) =>
    send(
      `/v1/forms/${path}`,
      { method, body: body && JSON.stringify(body) },
      { ...bearer(), "content-type": "application/json" },
    );
  const many = new URLSearchParams({ email: "ann@example.com" });
  for (let at = 0; at < 400; at++) many.append(names[at % names.length], `value ${at}`);
  const reads = ["count?group_by=field:n", "export?format=csv", "export?format=json&q=word", "?limit=100&q=zzz", ""];
  return {
    mails: () => post(facts.mailed, many),
    reads: () =>
      manage(`${facts.read}/${turn % 6 === 5 ? "fields" : `submissions/${reads[turn % 5]}`.replace("/?", "?")}`),
    async patterns() {
      const rules = Array.from({ length: 20 }, (_, at) => ({
        field: "a",
        checks: Array.from({ length: 10 }, (_, n) => ({
          type: "pattern",
          value: `^(${names[n % 8]}|${turn}.${at}|[\\pL\\d]{0,30})*(x+x+)+y$`,
        })),
      }));
      const status = await manage(facts.ruled, "PATCH", { validation: { rules } });
      await post(facts.ruled, new URLSearchParams({ a: "xx".repeat(30_000) }));
      return status;
    },
    uploads() {
      const body = new FormData();
      for (let at = 0; at < 3; at++) body.append("file", new Blob([`%PDF-1.7\n${"x".repeat(2_000_000)}`]), `${at}.pdf`);
      return post(facts.filled, body);
    },
    images() {
      const body = new FormData();
      const shapes = Array.from({ length: 3_000 }, (_, at) => `<g><path d="M0 ${at}h9v9z" fill="#0${at % 10}f"/></g>`);
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${shapes.join("")}</svg>`;
      body.append("file", new Blob([svg], { type: "image/svg+xml" }), "logo.svg");
      body.append("use", "after_submit_logo");
      return send(`/v1/forms/${facts.filled}/images`, { method: "POST", body }, bearer());
    },
  };
}
