/** The services whose forms can post here, by the names that the option `dialects` and the setting `dialect` take. */
export const dialectNames = [
  "formspree",
  "formcarry",
  "web3forms",
  "staticforms",
  "formsubmit",
  "netlify",
  "basin",
  "formspark",
] as const;
export type DialectName = (typeof dialectNames)[number];
