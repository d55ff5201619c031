import { type ComputedRef, computed, h, type MaybeRefOrGetter, reactive, shallowRef, toValue, type VNode } from "vue";
import {
  createFormStore,
  type FormEventLike,
  type FormOptions,
  type FormSnapshot,
  type FormStore,
} from "./form-store.ts";

export * from "./core.ts";
export type { FieldAttributes, FormEventLike, FormOptions, FormSnapshot } from "./form-store.ts";

type Members = { readonly [Name in keyof FormSnapshot]: ComputedRef<FormSnapshot[Name]> };

/** Result of `useForm`: changing members as refs, the others as plain values. */
export interface Form extends Members, Pick<FormStore, "reset" | "abort" | "errorId" | "field"> {
  /** For `<form v-bind="form.props">`: it works before Vue does, and without. */
  readonly props: {
    readonly action: string;
    readonly method: "post";
    readonly enctype: "multipart/form-data";
    readonly onSubmit: (event: FormEventLike) => void;
    readonly onInput: (event: Pick<FormEventLike, "target">) => void;
    readonly "aria-busy": "true" | undefined;
    readonly ref: (form: unknown) => void;
  };
}

/**
 * Posts a form to its endpoint without leaving the page. Vue 3.4 or newer.
 *
 * @example
 * <script setup>
 * const form = useForm("https://app.example.com/forms/f/Ab3…");
 * </script>
 * <template>
 *   <form v-bind="form.props">
 *     <label>Email <input type="email" v-bind="form.field('email')" /></label>
 *     <FieldError :form="form" name="email" />
 *     <button>Send</button>
 *     <FormStatus :form="form" />
 *   </form>
 * </template>
 */
export function useForm(url: MaybeRefOrGetter<string>, options: MaybeRefOrGetter<FormOptions> = {}): Form {
  const store = createFormStore(() => ({ url: toValue(url), options: toValue(options) }));
  const now = shallowRef(store.get());
  store.subscribe(() => {
    now.value = store.get();
  });
  const { get: _get, subscribe: _subscribe, submit, input, ref, ...members } = store;
  const views = Object.keys(now.value).map((name) => [name, computed(() => now.value[name as keyof FormSnapshot])]);
  return {
    ...members,
    // Reads the ref, so that a template that asks for it is rendered again.
    field: (name, describedBy) => now.value && store.field(name, describedBy),
    ...(Object.fromEntries(views) as Members),
    props: reactive({
      action: computed(() => toValue(url)),
      method: "post",
      enctype: "multipart/form-data",
      onSubmit: submit,
      onInput: input,
      "aria-busy": computed(() => (now.value.state === "submitting" ? "true" : undefined)),
      ref: (form: unknown) => ref(form as HTMLFormElement | null),
    }),
  };
}

/** The error of a field, if there is one. Further attributes go to the `<span>`. */
export function FieldError({ form, name }: { form: Form; name: string }): VNode | undefined {
  const fault = form.errors.value[name];
  return fault && h("span", { class: "form-backend-error", id: form.errorId(name), role: "alert" }, fault.message);
}
FieldError.props = ["form", "name"];

/** The live region that tells that the form is being sent, and the outcome. Further attributes go to the `<p>`. */
export function FormStatus({ form }: { form: Form }): VNode {
  return h("p", { role: "status" }, form.message.value);
}
FormStatus.props = ["form"];
