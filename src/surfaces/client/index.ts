import {
  type Input,
  type Item,
  type OperationName,
  operations,
  paged,
  type Result,
  type Routes,
} from "./operations.ts";
import { type CallOptions, createRequester, type Requester, type RequesterOptions } from "./request.ts";

export { ApiError, type ErrorCode } from "../../errors.ts";
export type { Input, Item, OperationName, Result } from "./operations.ts";
export type { CallOptions } from "./request.ts";

/** Input of `createClient`. */
export interface ClientOptions extends RequesterOptions {}

type Arguments<I> =
  Record<never, never> extends I ? [input?: I, options?: CallOptions] : [input: I, options?: CallOptions];

/** One operation; a list in pages also has `all`, which goes through every page. */
export type Method<K extends OperationName> = ((...args: Arguments<Input<K>>) => Promise<Result<K>>) &
  (K extends keyof typeof paged
    ? { all(...args: Arguments<Omit<Input<K>, "cursor" | "before">>): AsyncGenerator<Item<K>, void> }
    : unknown);

/** A method for every operation of the management API, named after it. Each throws `ApiError`. */
// Over `keyof Routes` itself, so that an editor shows each row's summary.
export type Client = { readonly [K in keyof Routes]: Method<K> };

/**
 * A typed client of the management API, for Node and browsers. A GET that gets 429 or 503 is repeated, three times or `retries`
 * times, after the time in `Retry-After`.
 *
 * @example
 * const client = createClient({ baseUrl: "https://app.example.com/forms", token: process.env.FORM_BACKEND_KEY });
 * const form = await client.createForm({ name: "Contact" });
 * await client.updateForm({ form_id: form.id, active: false });
 * for await (const submission of client.listSubmissions.all({ form_id: form.id, status: "all" })) console.log(submission.id);
 */
export function createClient(options: ClientOptions): Client {
  const request = createRequester(options);
  const methods = Object.keys(operations).map((key) => {
    const name = key as OperationName;
    const call = (input: object = {}, options: CallOptions = {}) => request(name, input, options);
    const all = (input: object = {}, options: CallOptions = {}) =>
      pages(request, name as keyof typeof paged, input, options);
    return [name, name in paged ? Object.assign(call, { all }) : call];
  });
  return Object.fromEntries(methods) as Client;
}

interface Page {
  readonly data: readonly { readonly occurred_at?: string }[];
  readonly has_more: boolean;
  readonly next_cursor?: string | null;
}

async function* pages(request: Requester, name: keyof typeof paged, input: object, options: CallOptions) {
  for (let place = {}; ; ) {
    const page = (await request(name, { limit: 100, ...input, ...place }, options)) as Page;
    yield* page.data;
    if (!page.has_more) return;
    place = paged[name] === "cursor" ? { cursor: page.next_cursor } : { before: page.data.at(-1)?.occurred_at };
  }
}
