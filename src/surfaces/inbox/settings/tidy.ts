/** Text as a browser returns it: line breaks are one sign, and signs that HTML does not have are replaced. */
export const tidy = (text: string): string =>
  text.toWellFormed().replace(/\r\n?/g, "\n").replaceAll("\u0000", "\ufffd");
