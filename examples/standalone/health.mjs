// @ts-check
// Docker's health check: 0 while the backend answers that it works.
const { FORM_BACKEND_URL = "http://localhost", PORT = "3000" } = process.env;
const path = new URL(FORM_BACKEND_URL).pathname.replace(/\/$/, "");
const response = await fetch(`http://127.0.0.1:${PORT}${path}/v1/health`).catch(() => null);
process.exit(response?.ok ? 0 : 1);
