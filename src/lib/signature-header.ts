/** The header of the `t=…,v1=…` signature unless the host renames it. */
export const SIGNATURE_HEADER = "X-Service-Signature";
