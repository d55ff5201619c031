import Contact from "./store-form.svelte";

new Contact({ target: document.querySelector("#app"), hydrate: true, props: { url: window.endpoint } });
