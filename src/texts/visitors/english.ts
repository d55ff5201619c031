/** Written by `npm run texts` from en.json. */
export type English = {
  "tag": "en",
  "dir": "ltr",
  "defaults": {
    "headline": "Thank you!",
    "message": "Your submission has been received.",
    "return": "Return",
    "owner_subject": "New submission: {form}",
    "reply_subject": "Thank you for your message",
    "reply_message": "Thank you. We received your message and will get back to you.",
    "opt_in_subject": "Please confirm your email address",
    "opt_in_message": "Please confirm that you sent the form “{form}” and that this email address is yours."
  },
  "page": {
    "back": "Go back",
    "back_by_browser": "To return to the form, use the back button of your browser.",
    "send_again": "Send again",
    "choose_again": {
      "one": "Please choose the file again.",
      "other": "Please choose the files again."
    },
    "places_left": {
      "one": "{count} place left",
      "other": "{count} places left"
    },
    "value_again": "Please enter this again.",
    "choose": "Please choose",
    "incomplete": "Not all of the form has arrived. Please check it before you send it again.",
    "not_taken": "Nothing was sent: the service is not ready at the moment. Please try again in a few seconds.",
    "download": "Download",
    "endpoint_title": "This is a form endpoint",
    "endpoint_text": "It receives what a form on a website sends; there is nothing to see here. If it is your form, this is how a page uses it:"
  },
  "report": {
    "link": "Report this form",
    "title": "Report this form?",
    "text": "Tell the service that runs this form if it asks for passwords, pretends to be somebody else, or breaks the law.",
    "send": "Report",
    "done_title": "Thank you",
    "done_text": "The service that runs this form will look at it."
  },
  "errors": {
    "invalid_parameter": "What was sent cannot be read.",
    "empty_submission": "The form was empty.",
    "plan_restricted": "This form does not accept files.",
    "form_inactive": "This form does not accept submissions at the moment.",
    "form_locked": "This form has been locked and takes no submissions.",
    "form_closed": "This form does not accept submissions at this time.",
    "form_opens": "This form opens on {time}.",
    "form_full": "All places of this form are taken.",
    "origin_not_allowed": "This form does not accept submissions from this website.",
    "not_found": "There is nothing at this address.",
    "form_not_found": "There is no form with this id.",
    "method_not_allowed": "This address does not accept this method.",
    "request_timeout": "What was sent took too long to arrive.",
    "idempotency_in_progress": "The same submission is still being processed; try again in a moment.",
    "payload_too_large": "What was sent is larger than this form accepts.",
    "too_many_files": "Too many files were sent.",
    "unsupported_media_type": "This form does not accept what was sent in this format.",
    "file_type_not_allowed": "A file of this type is not accepted.",
    "idempotency_mismatch": "This form was sent before, with other values. Send it again if you want to send these values too.",
    "validation_failed": "Some values are not valid.",
    "captcha_failed": "The captcha was not solved. Please try again.",
    "rate_limited": "Too many submissions came at once. Wait a little, and try again.",
    "internal_error": "Something went wrong on our side.",
    "unavailable": "The service can't handle the request at the moment. Try again soon.",
    "unconfirmed": "The service could not confirm that it stored this. Send it again with the same idempotency key, and it is stored once."
  },
  "titles": {
    "empty_submission": "Nothing to send",
    "invalid_parameter": "The form could not be read",
    "form_inactive": "This form is closed",
    "form_locked": "This form is locked",
    "form_closed": "This form is closed",
    "form_full": "No places left",
    "origin_not_allowed": "Not accepted from this website",
    "plan_restricted": "Files are not accepted",
    "not_found": "Nothing here",
    "form_not_found": "Form not found",
    "method_not_allowed": "This does not work here",
    "request_timeout": "This took too long",
    "idempotency_in_progress": "Please wait a moment",
    "idempotency_mismatch": "Already sent",
    "payload_too_large": "Too large",
    "too_many_files": "Too many files",
    "unsupported_media_type": "Not supported",
    "file_type_not_allowed": "This file is not accepted",
    "validation_failed": "Please check your entries",
    "captcha_failed": "Please try again",
    "rate_limited": "Too many submissions",
    "unavailable": "Please try again",
    "internal_error": "Something went wrong",
    "other": "This did not work"
  },
  "validation": {
    "required": "The {field} field is required.",
    "pattern": "The {field} format is invalid.",
    "taken": "The {field} was sent before, and this form takes it once.",
    "email": "The {field} must be a valid email address.",
    "url": "The {field} must be a valid URL.",
    "number": "The {field} must be a number.",
    "contains": "The {field} must contain “{wanted}”.",
    "not_contains": "The {field} must not contain “{wanted}”.",
    "equals": "The {field} does not have the expected value.",
    "one_of": "The {field} must be one of {list}.",
    "one_of_listed": "The {field} must be one of the listed values.",
    "min_length": {
      "one": "The {field} must be at least {count} character.",
      "other": "The {field} must be at least {count} characters."
    },
    "max_length": {
      "one": "The {field} must be at most {count} character.",
      "other": "The {field} must be at most {count} characters."
    },
    "min": "The {field} must be at least {wanted}.",
    "max": "The {field} must be at most {wanted}.",
    "date": "The {field} must be a valid date, such as 2026-12-31.",
    "phone": "The {field} must be a valid phone number.",
    "too_long": "The {field} is too long for this rule.",
    "comma": ", ",
    "more": {
      "one": "{message} (+{count} more errors)",
      "other": "{message} (+{count} more errors)"
    }
  },
  "files": {
    "too_large": "The file in “{field}” is larger than {size}.",
    "too_large_together": "With the file in “{field}”, the files are larger than {size} in total.",
    "too_many": {
      "one": "The file in “{field}” is one too many: at most {count} is accepted.",
      "other": "The file in “{field}” is one too many: at most {count} are accepted."
    },
    "type": "The file in “{field}” is of a type that this form does not accept.",
    "virus": "The file in “{field}” was refused by the virus scanner.",
    "bytes": {
      "one": "{count} byte",
      "other": "{count} bytes"
    },
    "kilobytes": "{amount} KB",
    "megabytes": "{amount} MB"
  },
  "confirmation": {
    "old_title": "This link is too old",
    "old_text": "Nothing was changed. With the next submission of the form, a new email with a new link is sent.",
    "ask_title": "Receive emails about submissions?",
    "ask_text": "{address} will get an email for each submission of the form.",
    "confirm": "Confirm",
    "done_title": "Confirmed",
    "done_text": "Emails about submissions now go to {address}.",
    "invalid_title": "This link is not valid",
    "invalid_text": "It is incomplete, or was changed. Open it again from the email.",
    "mail_subject": "Do you want emails about form submissions?",
    "mail_asked": "{team} entered {address} at {brand} as an address that gets an email about each submission of a form.",
    "mail_somebody": "Somebody entered {address} at {brand} as an address that gets an email about each submission of a form.",
    "mail_how": {
      "one": "To receive these emails, open this link and confirm within {count} day:",
      "other": "To receive these emails, open this link and confirm within {count} days:"
    },
    "mail_link": "Confirm this address",
    "mail_footer": "If you do not know what this is about, do nothing: without your confirmation, none are sent."
  },
  "opt_in": {
    "thanks": "Please open the email that we have sent you, and confirm. Until then, your submission waits.",
    "mail_how": {
      "one": "To confirm, open this link and press the button within {count} day:",
      "other": "To confirm, open this link and press the button within {count} days:"
    },
    "mail_footer": "If it was not you, somebody else entered your address. Then do nothing: what was sent is deleted.",
    "done": "Thank you. Your submission is confirmed.",
    "late": "Nobody confirmed this in time, so what was sent is deleted. You can fill in the form again."
  },
  "edit": {
    "title": "Change what you sent",
    "until": "You can change this until {time}.",
    "keep": "Leave this empty to keep what you sent.",
    "keep_files": "Choose files only to replace those that you sent.",
    "save": "Save changes",
    "done_title": "Your changes are saved",
    "done": "Thank you. The new version has been received.",
    "closed_title": "This can't be changed",
    "unknown": "This link is not valid, or what was sent has been deleted.",
    "late": "The time for changes is over.",
    "off": "This form takes no changes at the moment.",
    "waiting": "Please confirm your email address first, with the link that we have sent you.",
    "meanwhile": "This was changed in the meantime, and is shown as it is now. Please make your change again."
  },
  "markup": {
    "problem": "There is a problem",
    "error": "Error:",
    "optional": "(optional)",
    "leave_empty": "Leave this empty",
    "send": "Send"
  },
  "notification": {
    "kicker": "New submission",
    "title": "New submission: {form}",
    "spam": "This submission was recognized as spam.",
    "files": "Files",
    "links_until": "The links work until {date}.",
    "shortened": "… (shortened here; the plain-text part of this email contains all of it)",
    "more_fields": {
      "one": "{count} more field: see the plain-text part of this email.",
      "other": "{count} more fields: see the plain-text part of this email."
    },
    "sent_from": "Sent from the form “{form}” on {time}.",
    "reply_to": "Reply to this email to answer {address}."
  },
  "reply": {
    "title": "Your message to {name}",
    "automatic": "This is an automatic reply to a message sent with the form “{form}” on {time}.",
    "not_you": "If it was not you, somebody else entered your address, and there is nothing you need to do."
  },
  "messages": {
    "wrote": "You wrote on {time}:",
    "received": "{address} wrote about “{form}”:"
  },
  "summary": {
    "subject": {
      "one": "{count} new submission",
      "other": "{count} new submissions"
    },
    "why": "More than 60 emails about submissions were due to this address within an hour. The others are collected here, in one email an hour.",
    "head": "{form}, {time}",
    "head_spam": "{form}, {time} (spam)",
    "counted": {
      "one": "{count} more of “{form}” had no room here; it is stored with the others.",
      "other": "{count} more of “{form}” had no room here; they are stored with the others."
    },
    "more": {
      "one": "{count} more: see the plain-text part.",
      "other": "{count} more: see the plain-text part."
    },
    "footer": "You receive this email because your address is a recipient of these forms."
  },
  "webhook": {
    "off_subject": "The webhook of “{form}” was turned off",
    "failing_subject": "The webhook of “{form}” keeps failing",
    "gone": "{host} returned 410 Gone, which means that it wants no more deliveries.",
    "deleted": "{host} returned {status}, which means that the webhook was deleted there.",
    "failing": "Every delivery to {host} has failed since {time}. The latest attempt ended with {end}.",
    "its_address": "its address",
    "off_text": "The webhook was turned off, and nothing is sent to it until it is turned on again. Submissions are stored as before; those that were not delivered can then be delivered again.",
    "failing_text": "Each delivery is tried for 72 hours. If none succeeds for 5 days, the webhook is turned off. Submissions are stored as before.",
    "why": "You receive this email because the form “{form}” belongs to your team.",
    "id": "Webhook {id}",
    "id_described": "Webhook {id}: {description}"
  },
  "destination": {
    "google_not_shared": "The spreadsheet is not shared with {what}. Open it in Google Sheets, choose Share, and add this address as an editor.",
    "google_no_file": "Google finds no spreadsheet at the webhook's address: it was deleted, or it is not shared with {what}. Share it with this address as an editor, or give the webhook the address of another one.",
    "google_no_sheet": "The spreadsheet has no sheet (tab) “{what}” any more. Name one that it has in the webhook's setting “sheet”, or give a tab this name again.",
    "google_not_a_sheet": "The file is not in the format of Google Sheets. Open it there, choose File and Save as Google Sheets, and give the webhook the address of the new file.",
    "google_key_refused": "Google refuses the key of {what}: it was deleted, or the account was turned off. Create a new key for the service account and give it to the webhook.",
    "google_no_key": "There is no key of a Google service account any more, neither in the webhook nor in the backend's options. Give the webhook one.",
    "google_api_off": "The Google Sheets API is turned off in the project of {what}. Turn it on in the Google Cloud console, under APIs and services.",
    "google_full": "The spreadsheet is full: Google allows ten million cells. Move rows or empty columns out of it, or give the webhook the address of another one.",
    "airtable_token_refused": "Airtable refuses the token: it was deleted or has expired. Create a new one at airtable.com/create/tokens and give it to the webhook.",
    "airtable_no_access": "Airtable's token may not write to this base. Give it the scope data.records:write and access to the base, at airtable.com/create/tokens.",
    "airtable_no_table": "Airtable finds no table at the webhook's address, or the token has no access to its base. Give the token access, or give the webhook the address of another table.",
    "airtable_no_id": "The table in Airtable has no field “submission_id”. Add one of the type Single line text; by it, no submission is written twice.",
    "notion_token_refused": "Notion refuses the token: it was deleted or renewed. Copy the current one from notion.so/my-integrations and give it to the webhook.",
    "notion_not_shared": "Notion finds no database at the webhook's address, or it is not connected. Open it in Notion, choose Connections in its menu, and add your integration.",
    "notion_a_page": "The webhook's address is that of a page in Notion, not of a database. Open the database itself as a page, copy its link, and give it to the webhook.",
    "notion_no_id": "The database in Notion has no text property “submission_id”. Add one of the type Text; by it, no submission is written twice.",
    "mailchimp_key_refused": "Mailchimp refuses the API key: it was revoked, or its user was turned off. Create a new one in Mailchimp, under Account and Extras, and give it to the webhook.",
    "mailchimp_no_list": "Mailchimp has no audience with this id. Copy the Audience ID from the settings of the audience and give it to the webhook.",
    "hubspot_token_refused": "HubSpot refuses the token: it was renewed, or its private app was deleted. Copy the current one from HubSpot, under Settings and Private Apps, and give it to the webhook.",
    "hubspot_no_scope": "HubSpot's token may not write contacts. Give its private app the scopes crm.objects.contacts.read and crm.objects.contacts.write."
  },
  "plan": {
    "subject": "Your forms have used up this month's submissions",
    "text": {
      "one": "Your plan “{plan}” includes {count} submission a month, and in {month} (UTC) your forms have had it. Spam does not count.",
      "other": "Your plan “{plan}” includes {count} submissions a month, and in {month} (UTC) your forms have had them all. Spam is not among them."
    },
    "meaning": "Further submissions of this month are stored as before, but no emails, replies and webhooks are sent for them. With a larger plan, or from the next month on, everything is sent again.",
    "footer": "You receive this email because you own the team {team}. It is sent once a month at most."
  },
  "bounce": {
    "subject": "Mail to {address} comes back",
    "text": "Your forms write to {address}, and its mail server has refused a mail for good.",
    "meaning": "Nothing more is sent to this address, so whoever reads there misses new submissions. Correct the address in the settings of your forms. If it takes mail again, take it off the list of suppressed addresses.",
    "footer": "You receive this email because the team {team} writes to you too. It is sent once a day at most for one address."
  },
  "test": {
    "subject": "[Test] {subject}",
    "note": "This is a test email. What it shows is made up, and nobody submitted anything.",
    "message": "This is a test. It shows how a submission of your form arrives."
  }
};
