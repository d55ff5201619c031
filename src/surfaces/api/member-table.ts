import { deliveryOperations } from "../../features/deliveries/member-operations.ts";
import { formCheckOperations } from "../../features/submissions/member-operations.ts";

/**
 * What people do at the screens of the inbox beyond the management API. An operation here has no address, no key can call it, and
 * neither OpenAPI nor the MCP server knows it.
 */
export const memberOperations = {
  ...deliveryOperations,
  ...formCheckOperations,
};
