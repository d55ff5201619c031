import { createElement, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { SubmitFailure, SubmitResult } from "./answer.ts";
import { type FormValues, fingerprint, valuesOf } from "./data.ts";
import {
  createFormStore,
  type FormEventLike,
  type FormOptions,
  type FormSnapshot,
  type FormStore,
} from "./form-store.ts";
import { type SubmitOptions, submitForm } from "./submit.ts";

export * from "./core.ts";
export type { FieldAttributes, FormEventLike, FormOptions, FormSnapshot } from "./form-store.ts";

/** Result of `useForm`. */
export interface Form extends FormSnapshot, Pick<FormStore, "reset" | "abort" | "errorId" | "field"> {
  /** For `<form {...form.props}>`: it works before React does, and without. */
  readonly props: {
    readonly action: string;
    readonly method: "post";
    readonly encType: "multipart/form-data";
    readonly onSubmit: (event: FormEventLike) => void;
    readonly onInput: (event: Pick<FormEventLike, "target">) => void;
    readonly "aria-busy": true | undefined;
    readonly ref: (form: HTMLFormElement | null) => void;
  };
}

/** A React element, without React's types: pages bring their own version of them. */
export interface Rendered {
  readonly type: string;
  readonly props: object;
  readonly key: string | null;
}

/**
 * Posts a form to its endpoint without leaving the page. React 18 and 19.
 *
 * @example
 * const form = useForm("https://app.example.com/forms/f/Ab3…");
 * return (
 *   <form {...form.props}>
 *     <label>Email <input type="email" {...form.field("email")} /></label>
 *     <FieldError form={form} name="email" />
 *     <button>Send</button>
 *     <FormStatus form={form} />
 *   </form>
 * );
 */
export function useForm(url: string, options: FormOptions = {}): Form {
  const latest = useRef({ url, options });
  useEffect(() => {
    latest.current = { url, options };
  });
  const [store] = useState(() => createFormStore(() => latest.current));
  const { get, subscribe, submit, input, ref, ...members } = store;
  return {
    ...useSyncExternalStore(subscribe, get, get),
    ...members,
    props: {
      action: url,
      method: "post",
      encType: "multipart/form-data",
      onSubmit: submit,
      onInput: input,
      "aria-busy": get().state === "submitting" || undefined,
      ref,
    },
  };
}

/** The error of a field, if there is one. Further attributes go to the `<span>`. */
export function FieldError({ form, name, ...more }: { form: Form; name: string; className?: string }): Rendered | null {
  const fault = form.errors[name];
  const attributes = { className: "form-backend-error", ...more, id: form.errorId(name), role: "alert" };
  return (fault ? createElement("span", attributes, fault.message) : null) as Rendered | null;
}

/** The live region that tells that the form is being sent, and the outcome. Further attributes go to the `<p>`. */
export function FormStatus({ form, ...more }: { form: Form; className?: string }): Rendered {
  return createElement("p", { ...more, role: "status" }, form.message) as Rendered;
}

/** The state of a `formAction`: the result, and the input for `defaultValue`. */
export type FormActionState = (SubmitResult & { values: FormValues; print: string }) | null;

/**
 * An action for React 19's `useActionState`. React empties the form afterwards even after an error, so restore the input with
 * `defaultValue`. Unchanged data is stored once, even if you send it again after a lost response.
 *
 * @example
 * const [state, action, pending] = useActionState(formAction("https://app.example.com/forms/f/Ab3…"), null);
 * return <form action={action}><input name="email" defaultValue={state?.values.email} /></form>;
 */
export function formAction(
  url: string,
  options: Omit<SubmitOptions, "idempotencyKey"> = {},
): (previous: FormActionState, data: FormData) => Promise<FormActionState> {
  return async (previous, data) => {
    const print = fingerprint(data);
    // A success has no key.
    const key = previous?.print === print ? (previous as SubmitFailure).idempotency_key : null;
    const result = await submitForm(url, data, { ...options, idempotencyKey: key ?? undefined });
    return { ...result, values: valuesOf(data), print };
  };
}
