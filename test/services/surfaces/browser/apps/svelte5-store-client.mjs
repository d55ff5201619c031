import { hydrate } from "svelte";
import Contact from "./store-form.svelte";

hydrate(Contact, { target: document.querySelector("#app"), props: { url: window.endpoint } });
