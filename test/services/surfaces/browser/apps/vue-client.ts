import { createSSRApp } from "vue";
import Contact from "./vue-form.vue";

createSSRApp(Contact, { url: window.endpoint }).mount("#app");
