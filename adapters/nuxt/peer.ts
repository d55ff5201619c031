/** Carries the visitor's address from Nuxt's development server to its worker. No built app sends or reads it. */
export const PEER = "x-form-backend-peer";
