// What the build resolves to Node's own module.
declare module "real:node:crypto" {
  export * from "node:crypto";
  export { default } from "node:crypto";
}
