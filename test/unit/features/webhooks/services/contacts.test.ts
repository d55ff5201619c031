import { describe, expect, it } from "vitest";
import { hubspot, mailchimp } from "../../../../_support/destinations/fakes.ts";
import { fault } from "../../submissions/_submissions.ts";
import { overFaults, withService } from "./_destination.ts";

const chimp = {
  format: "mailchimp" as const,
  config: { api_key: "0123456789abcdef-us21", list_id: "a1b2c3", merge_fields: { FNAME: "name" }, tags: ["site"] },
};
const spot = { format: "hubspot", config: { token: "pat-eu1-secret", properties: { firstname: "name" } } } as const;

describe("a contact in Mailchimp", () => {
  it("is asked first, gets its merge fields and tags, and stays as it is when it comes again", async () => {
    const b = await withService(mailchimp, chimp);
    expect((await b.sent({ email: "Ada@Example.com", name: "Ada" })).status).toBe("succeeded");
    expect([...b.service.members.values()]).toEqual([
      expect.objectContaining({
        email_address: "Ada@Example.com",
        status: "pending",
        merge_fields: { FNAME: "Ada" },
        tags: [{ name: "site", status: "active" }],
      }),
    ]);
    await b.sent({ email: "ada@example.com" });
    expect([...b.service.members.values()]).toEqual([
      expect.objectContaining({ status: "pending", merge_fields: { FNAME: "Ada" } }),
    ]);
  });

  it("is subscribed at once without double opt-in", async () => {
    const b = await withService(mailchimp, { ...chimp, config: { ...chimp.config, double_opt_in: false } });
    await b.sent({ email: "a@example.com" });
    expect([...b.service.members.values()][0]).toMatchObject({ status: "subscribed" });
  });

  it("fails in words without an address, and where the contact has left", async () => {
    const b = await withService(mailchimp, chimp);
    b.service.left.add("left@example.com");
    expect(await b.sent({ email: "nobody" })).toMatchObject({
      status: "failed",
      message: expect.stringContaining("no email address in the field email"),
    });
    expect(await b.sent({ email: "left@example.com" })).toMatchObject({
      status: "failed",
      message: expect.stringContaining("Only they can subscribe again"),
    });
    expect(await b.webhooks.get(b.id, b.hook)).toMatchObject({ enabled: true });
  });

  it("is there for each address, over refusals, lost answers and kills", async () => {
    const { service, seen, states } = await overFaults(
      mailchimp,
      chimp,
      40,
      (n) => ({ email: `a${n}@example.com`, name: `${n}` }),
      ({ method }) => method === "PUT",
    );
    const found = [...service.members.values()].map((one) => one["email_address"]).sort();
    expect(found).toEqual(Array.from({ length: 40 }, (_, n) => `a${n}@example.com`).sort());
    expect([seen.kills, states]).toEqual([4, new Set(["succeeded"])]);
  }, 120_000);
});

describe("a contact in HubSpot", () => {
  it("is written once for each address, later values over earlier ones", async () => {
    const b = await withService(hubspot, spot);
    await b.now({ email: "Ada@example.com", name: "A" });
    await b.now({ email: "ada@example.com", name: "Ada" });
    await b.now({ email: "eve@example.com", name: "Eve" });
    await b.tick();
    expect(Object.fromEntries(b.service.contacts)).toEqual({
      "ada@example.com": { email: "ada@example.com", firstname: "Ada" },
      "eve@example.com": { email: "eve@example.com", firstname: "Eve" },
    });
    expect(b.service.got).toHaveLength(1);
  });

  it("goes without a property that HubSpot lacks, and without one that is refused", async () => {
    const b = await withService(hubspot, {
      ...spot,
      config: { ...spot.config, properties: { firstname: "name", shoe: "shoe" } },
    });
    const wrong = await b.now({ email: "x@invalid.example", name: "X", shoe: "1" });
    const right = await b.now({ email: "a@example.com", name: "A", shoe: "2" });
    await b.tick();
    expect(await b.delivery(wrong)).toMatchObject({ status: "failed", http_status: 400 });
    expect(await b.delivery(right)).toMatchObject({
      status: "succeeded",
      message: "Left out, because HubSpot has no such property: shoe",
    });
    expect([...b.service.contacts.keys()]).toEqual(["a@example.com"]);
  });

  it("is there for each address, over refusals, lost answers and kills", async () => {
    const { service, states } = await overFaults(
      hubspot,
      spot,
      300,
      (n) => ({ email: `a${n}@example.com`, name: `${n}` }),
      () => true,
    );
    expect([service.contacts.size, states]).toEqual([300, new Set(["succeeded"])]);
  }, 120_000);
});

describe("the settings of both", () => {
  it("have no URL to set, and show the service's own", async () => {
    const m = await withService(mailchimp, chimp);
    expect(m.made.url).toBe(`${m.service.url}/3.0/lists/a1b2c3`);
    expect(m.made.config).toEqual({ ...chimp.config, api_key: "set", email_field: "email", double_opt_in: true });
    const { json } = await m.call("PATCH", m.at, {
      body: {
        url: m.made.url,
        config: { ...m.made.config, list_id: "zzz", merge_fields: { FNAME: null, LNAME: "last" } },
      },
    });
    expect([json.url, json.config.merge_fields]).toEqual([`${m.service.url}/3.0/lists/zzz`, { LNAME: "last" }]);
    const h = await withService(hubspot, spot);
    expect(h.made).toMatchObject({
      url: `${h.service.url}/crm/v3/objects/contacts/batch/upsert`,
      config: { token: "set" },
    });
    expect(fault(await h.call("POST", h.path, { body: { ...spot, url: "https://api.hubapi.com/x" } }))).toEqual([
      400,
      "invalid_parameter",
      "url",
    ]);
    expect(fault(await h.call("PATCH", h.at, { body: { format: "standard" } }))).toEqual([
      400,
      "invalid_parameter",
      "url",
    ]);
  });

  it.each([
    [
      "a key without its data centre",
      { ...chimp, config: { ...chimp.config, api_key: "0123456789abcdef" } },
      "config.api_key",
    ],
    [
      "a merge tag that is none",
      { ...chimp, config: { ...chimp.config, merge_fields: { "first name": "name" } } },
      "config.merge_fields.first name",
    ],
    ["an old key of HubSpot", { ...spot, config: { token: "01234567-89ab-cdef-0123-456789abcdef" } }, "config.token"],
    ["a token with a line break", { ...spot, config: { token: "pat\nx" } }, "config.token"],
    ["no token", { format: "hubspot", config: {} }, "config.token"],
  ])("refuse %s", async (_, create, param) => {
    const b = await withService(hubspot, spot);
    expect(fault(await b.call("POST", b.path, { body: create }))).toEqual([400, "invalid_parameter", param]);
  });

  it.each([
    [
      "Mailchimp",
      mailchimp,
      { ...chimp, config: { ...chimp.config, api_key: "ffff-us21" } },
      "Mailchimp refuses the API key",
    ],
    [
      "Mailchimp's audience",
      mailchimp,
      { ...chimp, config: { ...chimp.config, list_id: "zzz" } },
      "no audience with this id",
    ],
    ["HubSpot", hubspot, { ...spot, config: { token: "pat-eu1-old" } }, "HubSpot refuses the token"],
  ])(
    "pause the webhook and tell the owner where %s refuses",
    async (_, open: typeof hubspot | typeof mailchimp, create, words) => {
      const b = await withService<Awaited<ReturnType<typeof open>>>(open, create as never);
      expect(await b.sent({ email: "a@example.com" })).toMatchObject({
        status: "failed",
        message: expect.stringContaining(words),
      });
      expect(b.mailed()).toContain(words);
      expect(await b.webhooks.get(b.id, b.hook)).toMatchObject({ enabled: false });
    },
  );
});
