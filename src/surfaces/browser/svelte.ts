import { createFormStore, type FormOptions, type FormSnapshot, type FormStore } from "./form-store.ts";
import { mark, region, unmark } from "./notes.ts";

export * from "./core.ts";
export type { FieldAttributes, FormOptions, FormSnapshot } from "./form-store.ts";

/** Input of `use:enhance`. */
export interface EnhanceParameters extends FormOptions {
  /** Default: the form's `action`, which also works before Svelte does, and without. */
  url?: string | undefined;
}

/** A Svelte action that is running. */
export interface RunningAction<Parameters = undefined> {
  update?(parameters: Parameters): void;
  destroy(): void;
}

/**
 * An action that posts a form without leaving the page, shows errors next to the fields and the result in a live region. Svelte
 * 4 and 5.
 *
 * @example
 * <form action={url} method="post" enctype="multipart/form-data" use:enhance={{ onSuccess: (result) => track(result) }}>
 */
export function enhance(form: HTMLFormElement, parameters: EnhanceParameters = {}): RunningAction<EnhanceParameters> {
  let options = parameters;
  const store = createFormStore(() => ({ url: options.url ?? form.getAttribute("action") ?? "", options }));
  let before = store.get();
  const stop = listen(form, store);
  const unsubscribe = store.subscribe(() => {
    const now = store.get();
    for (const name in before.errors) if (!now.errors[name]) unmark(form, name);
    if (now.result !== before.result) mark(form, now.errors);
    if (now.message !== before.message) region(form).textContent = now.message;
    before = now;
  });
  return {
    update(next) {
      options = next;
    },
    destroy() {
      stop();
      unsubscribe();
    },
  };
}

/** The value of `$form` in a component. */
export interface FormView extends FormSnapshot, Pick<FormStore, "field"> {}

/** Result of `useForm`: a store, and constants. */
export interface Form extends Pick<FormStore, "reset" | "abort" | "errorId"> {
  /** Svelte's contract of a store. */
  subscribe(run: (view: FormView) => void): () => void;
  /** For `<form {...form.props} use:form.enhance>`: it works before Svelte does, and without. */
  readonly props: { readonly action: string; readonly method: "post"; readonly enctype: "multipart/form-data" };
  enhance(form: HTMLFormElement): RunningAction;
}

/**
 * A form's state as a store, for components that write errors and outcome themselves. Svelte 4 and 5.
 *
 * @example
 * <script>
 *   const form = useForm("https://app.example.com/forms/f/Ab3…");
 * </script>
 * <form {...form.props} use:form.enhance>
 *   <label>Email <input type="email" {...$form.field("email")} /></label>
 *   {#if $form.errors.email}<span id={form.errorId("email")} role="alert">{$form.errors.email.message}</span>{/if}
 *   <button>Send</button>
 *   <p role="status">{$form.message}</p>
 * </form>
 */
export function useForm(url: string, options: FormOptions = {}): Form {
  const store = createFormStore(() => ({ url, options }));
  const view = (): FormView => ({ ...store.get(), field: store.field });
  return {
    reset: store.reset,
    abort: store.abort,
    errorId: store.errorId,
    props: { action: url, method: "post", enctype: "multipart/form-data" },
    subscribe(run) {
      run(view());
      return store.subscribe(() => run(view()));
    },
    enhance: (form) => ({ destroy: listen(form, store) }),
  };
}

function listen(form: HTMLFormElement, store: FormStore): () => void {
  form.addEventListener("submit", store.submit);
  form.addEventListener("input", store.input);
  store.ref(form);
  const unsubscribe = store.subscribe(() => {
    if (store.get().state === "submitting") form.setAttribute("aria-busy", "true");
    else form.removeAttribute("aria-busy");
  });
  return () => {
    form.removeEventListener("submit", store.submit);
    form.removeEventListener("input", store.input);
    store.ref(null);
    unsubscribe();
  };
}
