/** True for the origin of a web page, as browsers send it: no path, no trailing slash. */
export const isOrigin = (value: string): boolean => URL.canParse(value) && new URL(value).origin === value;

export const ORIGIN = "must be an origin such as https://example.com";
