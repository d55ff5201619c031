import { describe, expect, it } from "vitest";
import { type Harness, harness } from "../../../_support/backend.ts";
import { closing } from "./_mail.ts";

const DAY = 24 * 60 * 60_000;
const make = (options: object = {}) => closing(harness({ confirmRecipients: true, rateLimit: false, ...options }));
const formFor = async (b: Harness, recipients: string[], more: object = {}) =>
  (await b.forms.create({ name: "Contact", self_email_notification: { recipients }, ...more })).id;
const subjects = (b: Harness) => b.mails.map(({ to, subject }) => `${to.address}: ${subject}`).sort();
const linkIn = (b: Harness, to: string) => {
  const text = b.mails.findLast((mail) => mail.to.address === to && /\/c\/recipient\//.test(mail.text))?.text ?? "";
  return /http\S+\/c\/recipient\/\S+/.exec(text)?.[0] ?? "no link";
};
const open = (b: Harness, link: string, method = "GET") =>
  b.handle(new Request(link, { method }), { ip: "203.0.113.7" });
const ASK = "Do you want emails about form submissions?";

describe("the option confirmRecipients", () => {
  it("asks an address once, and sends what waited when a press on the button confirms", async () => {
    const b = make();
    const id = await formFor(b, ["ann@example.com"]);
    for (let n = 0; n < 3; n++) await b.post(id, { message: `no. ${n}` });
    await b.tick();
    expect(subjects(b)).toEqual([`ann@example.com: ${ASK}`]);
    expect(await b.jobs.list({ form_id: id, kind: "owner_email", status: "pending" })).toMatchObject(
      Array(3).fill({ code: "WAITING_CONFIRMATION", target: "ann@example.com" }),
    );
    const link = linkIn(b, "ann@example.com");
    for (const method of ["GET", "HEAD", "GET"]) expect((await open(b, link, method)).status).toBe(200);
    await b.tick();
    expect(b.mails).toHaveLength(1);
    const page = await (await open(b, link)).text();
    expect(page).toMatch(/<form method="post" action="[^"]+"><div class="actions"><button/);
    expect(page).toContain("ann@example.com");
    for (let n = 0; n < 2; n++) {
      const answer = await open(b, link, "POST");
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("Confirmed")]);
    }
    await b.tick();
    expect(b.mails).toHaveLength(4);
    await b.post(id, { message: "one more" });
    await b.tick();
    expect(b.mails).toHaveLength(5);
    expect(b.mails.filter(({ subject }) => subject === ASK)).toHaveLength(1);
  });

  it("holds for one team only, and for every spelling of the address", async () => {
    const b = make();
    await b.teams.create({ id: "other", name: "Other" });
    const id = await formFor(b, ["ann@bücher.example"]);
    const theirs = await formFor(b, ["ann@bücher.example"], { team_id: "other" });
    await b.post(id, { message: "x" });
    await b.tick();
    await open(b, linkIn(b, "ann@bücher.example"), "POST");
    await b.forms.update(id, { self_email_notification: { recipients: ["ANN@xn--bcher-kva.example"] } });
    await b.post(id, { message: "x" });
    await b.post(theirs, { message: "x" });
    await b.tick();
    expect(subjects(b)).toEqual(
      [
        "ANN@xn--bcher-kva.example: New submission: Contact",
        `ann@bücher.example: ${ASK}`,
        `ann@bücher.example: ${ASK}`,
        "ann@bücher.example: New submission: Contact",
      ].sort(),
    );
  });

  it("does not hold for a new team with the id of a deleted one", async () => {
    const b = make();
    const confirmed = async (): Promise<void> => {
      await b.teams.create({ id: "acme", name: "Acme" });
      const id = await formFor(b, ["ann@example.com"], { team_id: "acme" });
      await b.post(id, { message: "x" });
      await b.tick();
      await open(b, linkIn(b, "ann@example.com"), "POST");
      await b.tick();
    };
    await confirmed();
    await b.teams.delete("acme");
    await b.sweep();
    await b.clock.advance(3 * 60 * 60_000);
    await b.sweep();
    await confirmed();
    expect(subjects(b).filter((subject) => subject.endsWith(ASK))).toHaveLength(2);
  });

  it("asks one address at most 3 times an hour for all teams, and a team's addresses once a day", async () => {
    const b = make();
    for (let n = 0; n < 5; n++) {
      await b.teams.create({ id: `t${n}`, name: `T${n}` });
      const id = await formFor(b, ["ann@example.com"], { team_id: `t${n}` });
      await b.post(id, { message: "x" });
    }
    await b.tick();
    expect(b.mails).toHaveLength(3);
    await b.clock.advance(7 * 60 * 60_000);
    expect(b.mails).toHaveLength(5);
    await b.clock.advance(DAY);
    expect(b.mails.filter(({ subject }) => subject === ASK)).toHaveLength(10);
    expect(b.mails).toHaveLength(10);
  });

  it("asks for at most 50 addresses of one team in an hour", async () => {
    const b = make();
    for (let n = 0; n < 2; n++) {
      const id = await formFor(
        b,
        Array.from({ length: 40 }, (_, at) => `a${n}-${at}@example.com`),
      );
      await b.post(id, { message: "x" });
    }
    await b.tick();
    expect(b.mails).toHaveLength(50);
  });

  it("gives up what nobody confirmed within three days, and says so", async () => {
    const b = make();
    const id = await formFor(b, ["ann@example.com"]);
    await b.post(id, { message: "x" });
    await b.clock.advance(4 * DAY);
    expect(await b.jobs.list({ form_id: id, kind: "owner_email" })).toMatchObject([
      { status: "skipped", code: "SKIPPED_RECIPIENT_UNCONFIRMED" },
    ]);
    expect(b.mails.every(({ subject }) => subject === ASK)).toBe(true);
  });

  it("answers 404 to a link that is not ours or was changed, and 410 to one that is over", async () => {
    const b = make();
    const id = await formFor(b, ["ann@example.com"]);
    await b.post(id, { message: "x" });
    await b.tick();
    const link = linkIn(b, "ann@example.com");
    const [head, tail] = link.split("/c/recipient/") as [string, string];
    const [body = "", mac = ""] = tail.split(".");
    const forged = Buffer.from(JSON.stringify(["default", "eve@example.com", 9e15])).toString("base64url");
    for (const token of [`${forged}.${mac}`, `${body}.${"A".repeat(mac.length)}`, body, `${body}.`, "x", "%00.%ff"]) {
      for (const method of ["GET", "POST"]) {
        const answer = await open(b, `${head}/c/recipient/${token}`, method);
        expect([token, answer.status, answer.headers.get("content-type")]).toEqual([
          token,
          404,
          "text/html; charset=utf-8",
        ]);
      }
    }
    await b.clock.advance(8 * DAY);
    for (const method of ["GET", "POST"]) expect((await open(b, link, method)).status).toBe(410);
    await b.post(id, { message: "y" });
    await b.tick();
    expect(b.mails.every(({ subject }) => subject === ASK)).toBe(true);
    expect(linkIn(b, "ann@example.com")).not.toBe(link);
  });

  it("says the team's name without a link to follow", async () => {
    const b = make();
    await b.teams.create({ id: "evil", name: "Win at https://evil.test/x <b>now</b>\r\nBcc: x@evil.test" });
    await b.post(await formFor(b, ["ann@example.com"], { team_id: "evil" }), { message: "x" });
    await b.tick();
    expect(b.mails[0]?.text).toMatch(/^Win at https evil test x b now b Bcc x evil test entered ann@example\.com/);
    expect(b.mails[0]?.text).not.toMatch(/evil\.test/);
  });

  it("is off by default", async () => {
    const b = make({ confirmRecipients: undefined });
    await b.post(await formFor(b, ["ann@example.com"]), { message: "x" });
    await b.tick();
    expect(subjects(b)).toEqual(["ann@example.com: New submission: Contact"]);
  });
});
