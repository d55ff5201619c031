export type { Events, InboxAction } from "./core/events.ts";
export type { HostInfo } from "./core/http/route.ts";
export type { EncryptionKey, EncryptionOptions } from "./core/options/encryption.ts";
export type { FileScan, FilesOptions, ScannedFile } from "./core/options/files.ts";
export type { FormCheck, FormCheckResult } from "./core/options/form-check.ts";
export type { HostWebhookOptions } from "./core/options/host-webhooks.ts";
export type { Inbox } from "./core/options/inbox.ts";
export type { IntegrationsOptions, ServiceAddress } from "./core/options/integrations.ts";
export type { Mcp } from "./core/options/mcp.ts";
export type { OAuthOptions, TokenGrant } from "./core/options/oauth.ts";
export type { Plan } from "./core/options/plans.ts";
export type { RateLimitOptions } from "./core/options/rate-limit.ts";
export type { CaptchaOptions, CountryOption, RemoteProvider, SpamOptions } from "./core/options/spam.ts";
export type { FormBackendOptions, LogFields, Logger } from "./core/options/types.ts";
export type { RateClient } from "./core/rates/rate-stores.ts";
export type { Rate, RateCounter, RateName, RateState, RateStore } from "./core/rates/rates.ts";
export type { BlobDriver, BlobMeta } from "./drivers/blob/types.ts";
export { type Mail, MailError, type MailerDriver } from "./drivers/mailer/types.ts";
export type { Lane, QueueDriver } from "./drivers/queue/types.ts";
export { memoryStorage } from "./drivers/storage/memory.ts";
export { StaleWriteError, type StorageDriver } from "./drivers/storage/types.ts";
export { ApiError, type ErrorCode, type FieldError } from "./errors.ts";
export type { JobsRecoverInput } from "./features/deliveries/recover.ts";
export type { RecipientList } from "./features/forms/recipients.ts";
export type { Resealed, ResealOptions } from "./features/forms/reseal.ts";
export type { FileInput } from "./features/images/bytes.ts";
export type { SubmitFile, SubmitInput, SubmitOptions } from "./features/intake/submit.ts";
export type { JobList, JobsPageQuery, JobsQuery, JobView } from "./features/jobs/list.ts";
export type { TestEmail, TestEmailOptions } from "./features/mail/test-email.ts";
export type { Shredded } from "./features/privacy/data-keys.ts";
export type { Swept } from "./features/retention/run.ts";
export type { FormOverview, FormOverviewList, FormOverviewQuery } from "./features/submissions/overview.ts";
export type { TeamDeleted } from "./features/teams/delete.ts";
export type { TeamCreateOptions } from "./features/teams/service.ts";
export type { Clock } from "./lib/clock.ts";
export type { StandardSchema } from "./lib/standard-schema.ts";
export type { AbuseList, AbuseListQuery, AbuseReport } from "./model/abuse.ts";
export type { HostNoteCreate, Note, NoteDeleted, NoteList } from "./model/activities.ts";
export type { Attempt } from "./model/attempts.ts";
export type {
  AuditActor,
  AuditEntry,
  AuditExportQuery,
  AuditList,
  AuditListQuery,
  AuditWay,
} from "./model/audit.ts";
export type { Backfilled } from "./model/backfill.ts";
export type { Consent } from "./model/consent.ts";
export type { DataSubject, DataSubjectExport, ErasureReceipt, HostDataSubject } from "./model/data-subjects.ts";
export type { DeletedForm, DeletedFormList } from "./model/deleted-forms.ts";
export type {
  DomainRecord,
  DomainVerification,
  SenderDomainOptions,
  SenderDomainState,
  VerifyDomainOptions,
} from "./model/domain-verification.ts";
export type { EmailServer, EmailServerCreate, EmailServerDeleted, EmailServerPatch } from "./model/email-servers.ts";
export type { EmailKind, FormEmail, FormEmailList } from "./model/emails.ts";
export type { FieldList } from "./model/field-list.ts";
export type { HostFormCreate, HostFormPatch } from "./model/form-input.ts";
export type { FormSettings, HostFormSettingsPatch } from "./model/form-settings.ts";
export type { Form, FormDeleted, FormList, HostForm, HostFormList } from "./model/forms.ts";
export type { HostEvent } from "./model/host-events.ts";
export type { ImageDeleted, ImageFields, UploadedImage } from "./model/images.ts";
export type {
  ImportDeleted,
  ImportedContent,
  ImportedFile,
  ImportedMessage,
  ImportedNote,
  ImportedPerson,
  ImportedTrash,
  ImportedWork,
  ImportFailure,
  ImportOptions,
  ImportResult,
  ImportRow,
  ImportRows,
  UnreadableRow,
} from "./model/import.ts";
export type { DeliveryEvent, EmailEvent } from "./model/job-events.ts";
export type { Delivery, DeliveryStatus, JobKind } from "./model/jobs.ts";
export type { ApiKey, Caller, InboxRight, KeyCreate, Scope } from "./model/keys.ts";
export type { MarkupField, MarkupInput, MarkupType } from "./model/markup.ts";
export type { HostMessageCreate, Message, MessageList } from "./model/messages.ts";
export type { RoutedTo } from "./model/routing.ts";
export type {
  SavedReply,
  SavedReplyCreate,
  SavedReplyDeleted,
  SavedReplyList,
  SavedReplyPatch,
} from "./model/saved.ts";
export type { SpamBacktestInput, SpamBacktestResult } from "./model/spam-backtest.ts";
export type { CheckedForm, CheckedSubmission, Judged, SpamCheck, SpamJudge, SpamVerdict } from "./model/spam-check.ts";
export type { SpamModel, SpamModelForgotten } from "./model/spam-model.ts";
export type { Statistics } from "./model/statistics.ts";
export type { SubmissionBulkMatching, SubmissionBulkResult, SubmissionBulkStep } from "./model/submission-bulk.ts";
export type { SubmissionField } from "./model/submission-field.ts";
export type { SubmissionFile } from "./model/submission-file.ts";
export type { SubmissionFiltersInput } from "./model/submission-queries.ts";
export type {
  HostSubmission,
  HostSubmissionList,
  Submission,
  SubmissionBulk,
  SubmissionCount,
  SubmissionDeleted,
  SubmissionList,
  SubmissionPatch,
} from "./model/submissions.ts";
export type { Suppression, SuppressionDeleted, SuppressionList } from "./model/suppressions.ts";
export type { Removed, TeamDeletion } from "./model/team-deletion.ts";
export type { TeamList, TeamListQuery } from "./model/team-list.ts";
export type { Team, TeamCreate, TeamPatch } from "./model/teams.ts";
export type { TeamUsage, UsageList, UsageQuery } from "./model/usage.ts";
export type { Verdict, VerdictPlace } from "./model/verdict.ts";
export type {
  DeliveryList,
  Recovered,
  Webhook,
  WebhookCreate,
  WebhookDeleted,
  WebhookPatch,
  WebhookTest,
} from "./model/webhooks.ts";
export type { Person, Work } from "./model/work.ts";
export type { Health } from "./surfaces/api/health.ts";
export type { StatisticsInput } from "./surfaces/api/in-process/forms.ts";
export type { SubmissionListInput } from "./surfaces/api/in-process/submissions.ts";
export type { InProcessApi } from "./surfaces/api/in-process.ts";
export type { InboxApi, InboxLink, InboxRole, InboxUser } from "./surfaces/api/inbox.ts";
export { type VerifyOptions, verifyWebhook, type WebhookEvent } from "./surfaces/api/verify-webhook.ts";
export { createFormBackend, type FormBackend } from "./surfaces/form-backend.ts";
export type { Locale } from "./texts/locales/_types.ts";
