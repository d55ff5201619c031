import type { z } from "zod";
import type { ImageFields } from "../../model/images.ts";
import type { SubmissionFiltersInput } from "../../model/submission-queries.ts";
import type { routes } from "../api/table.ts";
import { addresses } from "./addresses.ts";

export type Routes = typeof routes;
export type OperationName = keyof Routes;

type ParamsOf<R> = R extends { readonly params?: infer P } ? P : never;
type QueryOf<R> = R extends { readonly query?: infer Q } ? Q : never;
type BodyOf<R> = R extends { readonly body?: infer B } ? B : never;
type AnswerOf<R> = R extends { readonly response: infer Answer extends z.ZodType } ? z.output<Answer> : never;

/** Method and path; with a body, also the parameters that go into the query. */
type Address<R extends { method: string; path: string }> = [QueryOf<R>, BodyOf<R>] extends [z.ZodType, z.ZodType]
  ? `${R["method"]} ${R["path"]}?${string}`
  : `${R["method"]} ${R["path"]}`;

/** Every operation. A row of the table that is missing here, or has changed, is a compile error; `npm run operations` writes them. */
export const operations = addresses satisfies { readonly [K in OperationName]: Address<Routes[K]> };

type PagedName = { [K in OperationName]: AnswerOf<Routes[K]> extends Page ? K : never }[OperationName];
interface Page {
  readonly data: readonly unknown[];
  readonly has_more: boolean;
}

/** Lists with pages, and the parameter for the next one. */
export const paged = {
  listForms: "cursor",
  listSubmissions: "cursor",
  listAllSubmissions: "cursor",
  listDeliveries: "before",
  listEmails: "cursor",
  listSuppressions: "cursor",
} as const satisfies Readonly<Record<PagedName, "cursor" | "before">>;

/** Returned as a `Response`, because it may be long and need not be JSON. */
export const streamed = ["exportSubmissions"] as const satisfies readonly OperationName[];

/** Bodies that are no JSON. */
interface Uploads {
  uploadImage: ImageFields & {
    /** The picture: PNG, JPEG, GIF, WebP or SVG. */
    file: Blob;
  };
}

/** Typed parameters, all of them optional. */
type QueryInput<Q> = Q extends z.ZodType
  ? {
      [K in keyof z.output<Q>]?:
        | (K extends "country" | "field" | "source" ? SubmissionFiltersInput[K] : z.output<Q>[K])
        | undefined;
    }
  : unknown;
type InputOf<S> = S extends z.ZodType ? z.input<S> : unknown;
type Simplify<T> = { [K in keyof T]: T[K] };

/** Input of a call: path parameters, query parameters and the members of the body in one object. */
export type Input<K extends OperationName> = Simplify<
  InputOf<ParamsOf<Routes[K]>> &
    QueryInput<QueryOf<Routes[K]>> &
    (K extends keyof Uploads ? Uploads[K] : InputOf<BodyOf<Routes[K]>>)
>;

/** Result of a call. */
export type Result<K extends OperationName> = K extends (typeof streamed)[number] ? Response : AnswerOf<Routes[K]>;

/** One entry of a list in pages. */
export type Item<K extends keyof typeof paged> = Result<K> extends { data: (infer T)[] } ? T : never;
