export default defineNuxtConfig({
  modules: ["form-backend/nuxt"],
  formBackend: { path: "/forms" },
  css: ["~/style.css"],
  compatibilityDate: "2026-01-01",
  telemetry: false,
});
