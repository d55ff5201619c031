import Contact from "./store-form.svelte";

export const render = async (url) => Contact.render({ url }).html;
