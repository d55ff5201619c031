import { route } from "../../core/http/route.ts";
import { SenderDomainParams, SenderDomainQuery, SenderDomainState } from "../../model/domain-verification.ts";
import { domainState } from "./domain-state.ts";

export const senderDomainRoutes = {
  retrieveSenderDomain: route({
    method: "GET",
    path: "/v1/sender-domains/:domain",
    call: "senderDomains.get",
    creates: true,
    summary: "Look up the records of a sender domain",
    tag: "Sender domains",
    scopes: ["forms:read"],
    params: SenderDomainParams,
    query: SenderDomainQuery,
    response: SenderDomainState,
    errors: ["not_found"],
    handler: ({ core, caller, params, query }) => domainState(core, caller, params.domain, query),
  }),
};
