import { type EnhanceOptions, enhance, type FormAnswer } from "form-backend/browser";
import { defineComponent, h, onBeforeUnmount, onMounted, type PropType, type SlotsType, shallowRef } from "vue";
import { useFormEndpoint } from "./endpoint.ts";

/** What the slots are given: the endpoint's last answer, and what it says of single fields, by name. */
export interface FormSlot {
  answer: FormAnswer | null;
  errors: NonNullable<FormAnswer["errors"]>;
}

/**
 * A form that posts to the backend: a plain one without JavaScript, and with it one that stays on its page.
 * What else it is given, such as `class` or `enctype`, goes to the `<form>`.
 *
 * @example
 * <FormBackendForm form-id="Ab3…"><input name="email" /><button>Send</button></FormBackendForm>
 */
export default defineComponent({
  name: "FormBackendForm",
  props: {
    formId: { type: String, required: true },
    /** What visitors read where the endpoint could not be asked. */
    messages: { type: Object as PropType<EnhanceOptions>, default: () => ({}) },
  },
  emits: {
    /** The post was taken. `preventDefault()` on the event leaves what follows to the page. */
    success: (_answer: FormAnswer, _event: Event) => true,
    /** The post was refused, or, with null, not answered by the endpoint. */
    error: (_answer: FormAnswer | null, _event: Event) => true,
  },
  slots: Object as SlotsType<{
    default: FormSlot;
    /** In place of the fields after a success. */
    success: FormSlot;
  }>,
  setup(props, { emit, slots }) {
    const form = shallowRef<HTMLFormElement>();
    const answer = shallowRef<FormAnswer | null>(null);
    let undo = (): void => {};
    onMounted(() => {
      if (form.value) undo = enhance(form.value, props.messages);
    });
    onBeforeUnmount(() => undo());

    const told = (event: Event): void => {
      const { detail } = event as CustomEvent<FormAnswer | null>;
      answer.value = detail;
      if (detail?.status === "success") emit("success", detail, event);
      else emit("error", detail, event);
    };
    return () => {
      const given = { answer: answer.value, errors: answer.value?.errors ?? {} };
      const done = answer.value?.status === "success" && slots.success;
      return h(
        "form",
        {
          ref: form,
          method: "post",
          action: useFormEndpoint(props.formId),
          "onForm-backend:success": told,
          "onForm-backend:error": told,
        },
        [
          done ? slots.success?.(given) : slots.default?.(given),
          h("p", { "data-form-backend-status": "", role: "status", "aria-live": "polite" }),
        ],
      );
    };
  },
});
