export { adapterSuite, type BackendUnderTest, type HostOptions, type RunningHost } from "./adapter.ts";
export { createTestBackend, type TestBackend, type TestBackendOptions, type WebhookCall } from "./backend.ts";
export { blobSuite } from "./blob.ts";
export { type TestClock, testClock } from "./clock.ts";
export { inboxSuite } from "./inbox.ts";
export { type MailerUnderTest, mailerSuite, type ReceivedMail } from "./mailer.ts";
export { queueSuite } from "./queue.ts";
export { storageSuite } from "./storage.ts";
export type { Case, Suite } from "./suite.ts";
