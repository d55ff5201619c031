// @ts-check
// What every process has to agree on. On real machines these come from the same secrets store.
export const databaseUrl = process.env.POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/test";
export const redisUrl = process.env.REDIS_URL ?? "redis://127.0.0.1:6379";
export const schema = process.env.SCHEMA ?? "form_backend_example";
export const secret = process.env.FORM_BACKEND_SECRET ?? "the same for all processes, 32 characters";
export const port = Number(process.env.PORT ?? 3000);
export const site = process.env.SITE ?? `http://localhost:${port}`;
