import { describe, expect, it } from "vitest";
import type { Core } from "../../../../src/core/core.ts";
import type { ApiError } from "../../../../src/errors.ts";
import type { Caller, InboxRight, Scope } from "../../../../src/model/keys.ts";
import { type Invocable, invoke } from "../../../../src/surfaces/api/invoke.ts";
import { memberOperations } from "../../../../src/surfaces/api/member-table.ts";
import { routes } from "../../../../src/surfaces/api/table.ts";
import english from "../../../../src/texts/inbox/en.json";
import { harness } from "../../../_support/backend.ts";

// Every member operation against people who may not use it, so that one which is added later is held to the same order:
// scope and right → form and team → body.
const operations: readonly (readonly [string, Invocable])[] = Object.entries(memberOperations);

/** A backend with a form in each of two teams. */
async function world() {
  let opened: Core | undefined;
  const backend = harness({
    inbox: {
      path: "/inbox",
      check: () => null,
      mount(core: Core) {
        opened = core;
        const zone = { basePath: "", prefixes: [], routes: [], onError: async () => new Response() };
        return {
          zone,
          api: { link: async () => ({ url: "", expires_at: "" }), endSessions: async () => {} },
          onReady: async () => {},
        };
      },
    },
  });
  const forms: Record<string, string> = {};
  for (const id of ["acme", "other"]) {
    await backend.teams.create({ id, name: id });
    forms[id] = (await backend.forms.create({ name: id }, { team_id: id })).id;
  }
  if (!opened) throw new Error("the inbox was not mounted");
  return { core: opened, forms, teams: backend.teams };
}

const scopes: readonly Scope[] = ["forms:read", "forms:write", "submissions:read", "submissions:write"];
const rights: readonly InboxRight[] = ["export", "keys", "email_servers", "erase", "block", "rules"];
const person = (more: Partial<Caller> = {}): Caller => ({
  auth: "host",
  id: "inbox:ann",
  team_ids: ["acme"],
  scopes: "all",
  rights,
  form_ids: null,
  ...more,
});

/** The code with which an operation refuses a call, whose body is nonsense. */
const refusal = async (core: Core, operation: Invocable, caller: Caller, params: object): Promise<string> => {
  const input = { params: params as Record<string, unknown>, body: () => ({ nonsense: true }) };
  const answer = await invoke(core, operation, caller, input, { asHost: true }).catch((error: ApiError) => error);
  return (answer as { code?: string } | null)?.code ?? "answered";
};

describe("member operations", () => {
  it("share no name with a row of the table, and name what their audit is about", () => {
    expect(operations.length).toBeGreaterThan(0);
    for (const [name, { audit, form, team }] of operations) {
      expect(Object.hasOwn(routes, name), name).toBe(false);
      if (audit) expect(form ?? team, name).toBeDefined();
      // Without a sentence, the audit shows the name itself.
      if (audit) expect(Object.hasOwn(english.act, audit.action), audit.action).toBe(true);
    }
  });

  it("refuse a person who lacks a scope, the right, or the role of an administrator", async () => {
    const { core, forms } = await world();
    const params = { form_id: forms["acme"], team_id: "acme" };
    for (const [name, operation] of operations) {
      for (const lacking of operation.scopes ?? []) {
        const caller = person({ scopes: scopes.filter((scope) => scope !== lacking) });
        expect(await refusal(core, operation, caller, params), `${name} without ${lacking}`).toBe("insufficient_scope");
      }
      const caller = person({ rights: rights.filter((right) => right !== operation.right) });
      if (operation.right) expect(await refusal(core, operation, caller, params), name).toBe("insufficient_scope");
      if (operation.admin)
        expect(await refusal(core, operation, person({ scopes }), params), name).toBe("insufficient_scope");
    }
  });

  it("reach no form and no team of others, nor a form that is kept from the person", async () => {
    const { core, forms, teams } = await world();
    const foreign = { form_id: forms["other"], team_id: "other" };
    const own = { form_id: forms["acme"], team_id: "acme" };
    const some = person({ form_ids: ["another"] });
    for (const [name, operation] of operations) {
      const { form, team } = operation;
      if (form === "live") {
        expect(await refusal(core, operation, person(), foreign), name).toBe("form_not_found");
        expect(await refusal(core, operation, some, own), name).toBe("form_access_restricted");
      }
      if (team) expect(await refusal(core, operation, person(), foreign), name).toBe("not_found");
      if (team === "whole") expect(await refusal(core, operation, some, own), name).toBe("form_access_restricted");
    }
    await teams.update("acme", { active: false });
    for (const [name, operation] of operations) {
      if (operation.team) expect(await refusal(core, operation, person(), own), name).toBe("team_inactive");
    }
  });
});
