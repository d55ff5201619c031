import { createApp } from "vue";
import Contact from "../../../../../examples/form-libraries/vee-validate.vue";

createApp(Contact, { url: window.endpoint }).mount("#app");
