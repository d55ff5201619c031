import type { MailErrorCode } from "../../../drivers/mailer/types.ts";
import { canParseUrl } from "../../../lib/can-parse-url.ts";
import { domainOf, parseMailbox } from "../../../lib/email.ts";
import { errorMessage } from "../../../lib/message.ts";
import { checkDkim } from "../../../lib/sender-dns/dkim.ts";
import { aligned, checkDmarc } from "../../../lib/sender-dns/dmarc.ts";
import { checkSpf } from "../../../lib/sender-dns/spf.ts";
import { installed } from "../drivers.ts";
import { variable } from "../environment.ts";
import type { Checker } from "./checker.ts";

const ADVICE: Partial<Record<MailErrorCode, string>> = {
  ERROR_EMAIL_AUTH: "Check user and password in SMTP_URL, and percent-encode special characters such as @ and /.",
  ERROR_EMAIL_CONNECTION: "Check host and port in SMTP_URL, and that this machine can connect to them.",
  ERROR_EMAIL_TIMEOUT: "Check host and port in SMTP_URL. Many hosts block port 25: use 465 or 587.",
  ERROR_EMAIL_TLS: "Use smtps: for port 465 and smtp: for 587 and 25, and check the server's certificate.",
};

/** The mail server's login, and what DNS says about the sender's domain. */
export async function checkMail({ io, dns, check, selectors }: Checker): Promise<void> {
  const smtp = variable(io.env, "SMTP_URL");
  const from = variable(io.env, "FORM_BACKEND_FROM");
  await check("SMTP login", async (find) => {
    if (smtp === undefined) return find.skipped("SMTP_URL is not set.", "Set it to check your mail server.");
    if (!/^smtps?:\/\//i.test(smtp) || !canParseUrl(smtp)) {
      return find.failed("SMTP_URL is not the URL of a mail server.", "Write it as smtps://user:password@host.");
    }
    const { host } = new URL(smtp);
    await installed("nodemailer", "SMTP_URL", () => import("nodemailer" as string));
    const { smtpMailer } = await import("../../../drivers/mailer/smtp.ts");
    const mailer = smtpMailer(smtp, { timeoutMs: 15_000 });
    try {
      await mailer.verify();
      find.ok(`${host} accepts the connection${new URL(smtp).username === "" ? "" : " and the login"}.`);
    } catch (error) {
      // Not instanceof: the driver is another bundle, with a class of its own.
      const code = ((error as { code?: unknown }).code ?? "ERROR_EMAIL_INTERNAL") as MailErrorCode;
      const reason = errorMessage(error);
      find.failed(
        `${host} accepts no mail: ${reason.replace(/[.\s]+$/, "")} (${code}).`,
        ADVICE[code] ?? "Check SMTP_URL.",
      );
    } finally {
      await mailer.close();
    }
  });

  const address = from === undefined ? undefined : parseMailbox(from)?.address;
  if (address === undefined) {
    return check("sender", async (find) => {
      if (from === undefined)
        find.skipped("FORM_BACKEND_FROM is not set.", "Set it to check SPF, DKIM and DMARC of its domain.");
      else find.failed("FORM_BACKEND_FROM is not a sender.", 'Write it as "Forms <forms@example.com>".');
    });
  }
  const domain = domainOf(address);
  let verifiable = false;
  await check("SPF", (find) => checkSpf(domain, dns, find));
  await check("DKIM", async (find) => {
    if (selectors.length === 0) {
      find.skipped(
        "DNS can't list DKIM keys.",
        "Name the selector of your mail provider with --dkim: it is s= in the header DKIM-Signature of an email that arrived.",
      );
    }
    for (const selector of selectors) verifiable = (await checkDkim(domain, selector, dns, find)) || verifiable;
  });
  let policy: Awaited<ReturnType<typeof checkDmarc>> = null;
  await check("DMARC", async (find) => {
    policy = await checkDmarc(domain, dns, find);
  });
  await check("alignment", async (find) => {
    const user = smtp !== undefined && canParseUrl(smtp) ? decodeURIComponent(new URL(smtp).username) : "";
    const envelope = user.includes("@") ? domainOf(user) : domain;
    if (aligned(domain, envelope, policy)) {
      return find.ok(`The sender's domain ${domain} is also that of the mail server's account.`);
    }
    const message = `Mail comes from ${domain}, but the mail server's account belongs to ${envelope}: SPF counts only for ${envelope}`;
    if (verifiable) return find.ok(`${message}, but ${domain} has DKIM.`);
    const strict = policy !== null && (policy as { policy: string }).policy !== "none";
    find[strict ? "failed" : "warning"](
      strict ? `${message}. The DMARC policy makes receivers refuse or hide such emails.` : `${message}.`,
      `Use an account of ${domain}, or have your provider sign with DKIM for ${domain} and name the selector with --dkim.`,
    );
  });
}
