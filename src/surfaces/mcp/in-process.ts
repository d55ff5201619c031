import { WebResponse } from "../../lib/response.ts";
import type { Caller } from "../../model/keys.ts";
import { invoke } from "../api/invoke.ts";
import { invokeData } from "../api/invoke-data.ts";
import { type Core, type Exchange, limitCaller, signerFor } from "../api/kernel.ts";
import { asQuery } from "../api/query.ts";
import { routes } from "../api/table.ts";
import { type Operations, partsOf, rows, TOO_LONG } from "./operations.ts";

const signerOf = signerFor("mcp");

/** Bytes of a page, of which an answer shows a fraction. */
const MAX_PAGE = 256 * 1024;

/** A list that is sent while it is read: at most so much of it, or all of it if it is a single entry. */
async function read(response: Response, whole: boolean): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    // Leaving the loop cancels the stream.
    if (size > MAX_PAGE && !whole) return TOO_LONG;
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** The management API for the caller of a request, as the steps of an HTTP request would run it. */
export function operationsOf(core: Core, caller: Caller, exchange: Exchange): Operations {
  return {
    caller,
    signer: signerOf(core),
    now: () => core.clock.now(),
    async call(name, input, signal) {
      const row = rows[name];
      await limitCaller(exchange, caller);
      const { params, query, body } = partsOf(row, input);
      const parts = { params, query: () => asQuery(query), body: () => body };
      const result = await invoke(core, row, caller, parts, { signal, http: exchange, via: "mcp" });
      return result instanceof WebResponse ? read(result, input["limit"] === 1) : result;
    },
    async formName(formId) {
      // A caller who may delete a form may also see the name that confirms it.
      const row = { ...routes.retrieveForm, scopes: [] };
      return (await invokeData(core, row, caller, { params: { form_id: formId } })).name;
    },
  };
}
