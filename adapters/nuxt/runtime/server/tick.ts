import backend from "#form-backend";

/** The Nitro task `form-backend:tick`. */
export default { run: async () => ({ result: await backend.tick() }) };
