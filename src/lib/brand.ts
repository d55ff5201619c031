/** The name where the host gives none. */
export const OUR_NAME = "Form Backend";

/** The colour of buttons and links where nobody has chosen another one. */
export const USUAL_PRIMARY = "#2563eb";

/** True where customers see a name of the host's, or of their team. */
export const isBranded = ({ brand }: { readonly brand: { readonly name: string } }): boolean => brand.name !== OUR_NAME;

/** The name in small ASCII letters, digits and dashes; empty for a name in another script. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
