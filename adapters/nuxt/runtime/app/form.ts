import { type EnhanceOptions, enhance, type FormAnswer } from "form-backend/browser";
import { defineComponent, h, onBeforeUnmount, onMounted, type PropType, type SlotsType, shallowRef } from "vue";
import { useFormEndpoint } from "./endpoint.ts";

/** Props of the slots: the endpoint's last response, and its messages for single fields by name. */
export interface FormSlot {
  answer: FormAnswer | null;
  errors: NonNullable<FormAnswer["errors"]>;
}

/**
 * A form that posts to the backend: as a plain form without JavaScript, and without leaving its page with it. Other attributes,
 * such as `class` or `enctype`, are passed to the `<form>`.
 *
 * @example
 * <FormBackendForm form-id="Ab3…"><input name="email" /><button>Send</button></FormBackendForm>
 */
export default defineComponent({
  name: "FormBackendForm",
  props: {
    formId: { type: String, required: true },
    /** Message for visitors if the endpoint can't be reached. */
    messages: { type: Object as PropType<EnhanceOptions>, default: () => ({}) },
  },
  emits: {
    /** The post was accepted. Call `preventDefault()` on the event to do the rest yourself. */
    success: (_answer: FormAnswer, _event: Event) => true,
    /** The post was refused; null: there was no response from the endpoint. */
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
