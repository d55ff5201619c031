/** The enhanced status code of an SMTP reply, such as 5.1.1 (RFC 3463). */
const ENHANCED = /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?![\d.])/;

/** The numbers of a mail server's reply, such as `550 5.1.1`, for the log: its words may repeat what it was sent. */
export const replyNumbers = (status: number, text: string): string =>
  [status, ENHANCED.exec(text)?.[0]].filter((part) => part !== undefined).join(" ");
