import { render as toHtml } from "svelte/server";
import Contact from "./store-form.svelte";

export const render = async (url) => toHtml(Contact, { props: { url } }).body;
