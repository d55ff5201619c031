export { formBackend } from "../src/surfaces/node/listener.ts";
