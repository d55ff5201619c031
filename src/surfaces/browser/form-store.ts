import type { FieldFault, Messages, SubmitFailure, SubmitResult, SubmitSuccess, UploadProgress } from "./answer.ts";
import { type FormInput, type FormValues, toFormData, valuesOf } from "./data.ts";
import type { Extras } from "./extras.ts";
import { createSubmitter } from "./submit.ts";

export interface FormOptions extends Messages, Extras {
  /** Fields to add to those of the form, or a function that returns the data to send instead. */
  data?: Record<string, unknown> | ((data: FormData) => FormInput) | undefined;
  /** Called before the visitor goes where the form's owner sends them; `false` keeps them here. */
  onSuccess?: ((result: SubmitSuccess, form: HTMLFormElement) => unknown) | undefined;
  onError?: ((result: SubmitFailure, form: HTMLFormElement) => unknown) | undefined;
  /** True to reset the fields after success. Default: true. */
  resetOnSuccess?: boolean | undefined;
  /** True if `progress` is kept while files are uploaded. Default: false, because cross-origin posts then need a preflight. */
  progress?: boolean | undefined;
}

/** The current state of a form. */
export interface FormSnapshot {
  readonly state: "idle" | "submitting" | "succeeded" | "failed";
  /** Faults of single fields, by name, until the visitor corrects them. */
  readonly errors: Readonly<Record<string, FieldFault>>;
  /** The last sent values. */
  readonly values: FormValues;
  /** The result, null before. */
  readonly result: SubmitResult | null;
  /** The share of an upload that has left, from 0 to 1; null while nothing is uploaded. */
  readonly progress: number | null;
  /** For a live region: that it is being sent, and the outcome. */
  readonly message: string;
}

/** Attributes of a control with a name. */
export interface FieldAttributes {
  name: string;
  "aria-invalid": "true" | undefined;
  "aria-describedby": string | undefined;
}

/** The browser's members that every framework's form event has. */
export interface FormEventLike {
  readonly currentTarget: EventTarget | null;
  readonly target: EventTarget | null;
  readonly defaultPrevented: boolean;
  preventDefault(): void;
  readonly nativeEvent?: object;
}

export interface FormStore {
  get(): FormSnapshot;
  /** Calls back after each change. Returns a function that stops it. */
  subscribe(changed: () => void): () => void;
  submit(event: FormEventLike): void;
  /** Takes the error at the field away that the visitor corrects. */
  input(event: Pick<FormEventLike, "target">): void;
  /** Resets the result and cancels a running post. */
  reset(): void;
  /** Cancels a running post. If you send it again unchanged, it is stored once. */
  abort(): void;
  /** Call it with the form once it is on the page, and with null when it leaves: for drafts and statistics. */
  ref(form: HTMLFormElement | null): void;
  /** The id of the element with the error of a field. */
  errorId(name: string): string;
  /** `describedBy`: ids of the page's own hints at the field. */
  field(name: string, describedBy?: string): FieldAttributes;
}

const idle: FormSnapshot = { state: "idle", errors: {}, values: {}, result: null, progress: null, message: "" };
let count = 0;

/** A form's state, without any framework: the base of all hooks. */
export function createFormStore(settings: () => { url: string; options: FormOptions }): FormStore {
  // Rendered only with an error, so never in a server's output.
  const id = `form-backend-${++count}-`;
  const listeners = new Set<() => void>();
  const post = createSubmitter();
  let now = idle;
  let running: AbortController | null = null;
  const set = (next: FormSnapshot): void => {
    now = next;
    for (const changed of listeners) changed();
  };

  function abort(): void {
    if (!running) return;
    running.abort();
    running = null;
    set({ ...idle, values: now.values });
  }

  async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
    const { url, options } = settings();
    const { data: more, sending = "Sending…", resetOnSuccess = true, progress } = options;
    const data = new FormData(form, submitter);
    const values = valuesOf(data);
    const body = toFormData(typeof more === "function" ? more(data) : data);
    if (typeof more === "object") toFormData(more, body);
    running = new AbortController();
    const { signal } = running;
    set({ ...idle, state: "submitting", values, message: sending });
    const watch = (sent: UploadProgress): void => set({ ...now, progress: sent.loaded / sent.total });
    const how = { ...options, signal, onProgress: progress ? watch : undefined };
    const result = await post(url, body, how).catch(() => null);
    // The post may have been cancelled in the very moment of its response, and another one started.
    if (!result || signal.aborted) return;
    running = null;
    if (!result.ok) {
      set({ ...idle, state: "failed", values, result, errors: result.errors, message: result.message });
      options.onError?.(result, form);
      // Once the framework has written the errors into the page.
      setTimeout(() => form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
      return;
    }
    set({ ...idle, state: "succeeded", values, result, message: `${result.title} ${result.message}`.trim() });
    if (resetOnSuccess) HTMLFormElement.prototype.reset.call(form);
    // A form that is no longer on the page has nowhere to go from.
    if (options.onSuccess?.(result, form) !== false && result.redirect && form.isConnected)
      location.assign(result.redirect);
  }

  const errorId = (name: string): string => id + encodeURIComponent(name);
  const store: FormStore = {
    ref(form) {
      const { options } = settings();
      // A page that asks for none of them does not load them.
      if (options.draft || options.availability || options.statistics || options.source)
        void import("./extras.ts").then((extras) => extras.follow(store, form, options));
    },
    get: () => now,
    subscribe: (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    submit(event) {
      // A page's own listener came first and said no, as the browser would take it.
      if (event.defaultPrevented) return;
      event.preventDefault();
      const { submitter } = (event.nativeEvent ?? event) as SubmitEvent;
      if (!running) void send(event.currentTarget as HTMLFormElement, submitter);
    },
    input({ target }) {
      const { [(target as HTMLInputElement).name]: corrected, ...errors } = now.errors;
      if (corrected) set({ ...now, errors, message: Object.keys(errors)[0] ? now.message : "" });
    },
    abort,
    reset() {
      abort();
      set(idle);
    },
    errorId,
    field(name, describedBy) {
      const wrong = Object.hasOwn(now.errors, name);
      return {
        name,
        "aria-invalid": wrong ? "true" : undefined,
        "aria-describedby": wrong ? `${describedBy ?? ""} ${errorId(name)}`.trim() : describedBy,
      };
    },
  };
  return store;
}
