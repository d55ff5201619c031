import Contact from "./action-form.svelte";

export const render = async (url) => Contact.render({ url }).html;
