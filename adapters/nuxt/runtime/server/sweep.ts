import backend from "#form-backend";

/** The Nitro task `form-backend:sweep`. */
export default { run: async () => ({ result: await backend.sweep() }) };
