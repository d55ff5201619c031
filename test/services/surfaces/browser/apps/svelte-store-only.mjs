export { createSubmitter, submitForm, toFieldErrors, useForm } from "../../../../../src/surfaces/browser/svelte.ts";
