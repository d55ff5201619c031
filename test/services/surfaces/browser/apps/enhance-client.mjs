import { enhance } from "form-backend/browser";

window.enhance = (options) => {
  window.undo = enhance(document.querySelector("form"), options);
};
