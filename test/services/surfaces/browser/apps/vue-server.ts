import { createSSRApp } from "vue";
import { renderToString } from "vue/server-renderer";
import Contact from "./vue-form.vue";

export const render = (url: string): Promise<string> => renderToString(createSSRApp(Contact, { url }));
