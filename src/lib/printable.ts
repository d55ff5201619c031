/** Text of others without anything that a terminal or a mail program would act on: no control characters but line breaks and tabs. */
export const printable = (text: string): string => text.replace(/\r\n?/g, "\n").replace(/[^\P{Cc}\n\t]/gu, "");
