import { render as toHtml } from "svelte/server";
import Contact from "./action-form.svelte";

export const render = async (url) => toHtml(Contact, { props: { url } }).body;
