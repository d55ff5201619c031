/** A number with its English noun, such as "1 form" and "2 forms". */
export const counted = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;
