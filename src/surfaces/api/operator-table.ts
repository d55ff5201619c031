/** Operations of the operator's pages. They are loaded with those pages, and an inbox without an operator never loads them. */
export { operatorOperations } from "../../features/operating/member-operations.ts";
