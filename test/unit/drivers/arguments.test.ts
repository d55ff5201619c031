import { describe, expect, it } from "vitest";
import { fsBlob } from "../../../src/drivers/blob/fs.ts";
import { s3Blob } from "../../../src/drivers/blob/s3.ts";
import { unstorageBlob } from "../../../src/drivers/blob/unstorage.ts";
import { mailgunMailer } from "../../../src/drivers/mailer/mailgun.ts";
import { postmarkMailer } from "../../../src/drivers/mailer/postmark.ts";
import { resendMailer } from "../../../src/drivers/mailer/resend.ts";
import { sesMailer } from "../../../src/drivers/mailer/ses.ts";
import { smtpMailer } from "../../../src/drivers/mailer/smtp.ts";
import { bullmqQueue } from "../../../src/drivers/queue/bullmq.ts";
import { postgresQueue } from "../../../src/drivers/queue/postgres.ts";
import { postgresStorage } from "../../../src/drivers/storage/postgres.ts";
import { sqliteStorage } from "../../../src/drivers/storage/sqlite.ts";
import { unstorageStorage } from "../../../src/drivers/storage/unstorage.ts";

const drivers: readonly [string, (options: never) => unknown, string][] = [
  ["sqliteStorage", sqliteStorage, "pass `path`, a file, or `database`"],
  ["postgresStorage", postgresStorage, "pass `pool`, an object with connect(), or `connectionString`"],
  ["unstorageStorage", unstorageStorage, "createStorage()"],
  ["fsBlob", fsBlob, "`dir` is missing"],
  ["s3Blob", s3Blob, "`endpoint` is missing"],
  ["unstorageBlob", unstorageBlob, "createStorage()"],
  ["smtpMailer", smtpMailer, "a nodemailer transport, its options, or a URL"],
  ["resendMailer", resendMailer, "`apiKey` is missing"],
  ["postmarkMailer", postmarkMailer, "`serverToken` is missing"],
  ["sesMailer", sesMailer, "`region` is missing; pass a non-empty string"],
  ["mailgunMailer", mailgunMailer, "`domain` is missing"],
  ["bullmqQueue", bullmqQueue, "`connection` must be"],
  ["postgresQueue", postgresQueue, "`pool` must be a pool of `pg`"],
];

describe("a driver that is given nothing says what it takes", () => {
  it.each(drivers)("%s", (_, make, message) => {
    expect(() => make(undefined as never)).toThrow(message);
    expect(() => make(undefined as never)).toThrow(/^\[form-backend\] /);
  });

  it.each<[string, object]>([
    ["a path that is not set", { path: undefined }],
    ["an empty path, which SQLite would take for a file that goes away", { path: "" }],
    ["a handle that is none", { database: "forms.db" }],
  ])("sqliteStorage, %s", (_, options) => {
    expect(() => sqliteStorage(options as never)).toThrow("pass `path`, a file, or `database`");
  });
});
