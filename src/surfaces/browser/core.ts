/** Functions that need no page: for hooks, form libraries and scripts of your own. */
export {
  type FieldFault,
  type FormAnswer,
  type Messages,
  type SubmitFailure,
  type SubmitResult,
  type SubmitSuccess,
  toFieldErrors,
  type UploadProgress,
} from "./answer.ts";
export { type FormInput, type FormValues, valuesOf } from "./data.ts";
export { createSubmitter, type Submit, type SubmitOptions, submitForm } from "./submit.ts";
