export { createSubmitter, submitForm, toFieldErrors, useForm } from "../../../../src/browser/svelte.ts";
