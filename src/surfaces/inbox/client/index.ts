import { commandMenu } from "./commands.ts";
import { composers, restoreDrafts } from "./composer.ts";
import { copies } from "./copy.ts";
import { frames } from "./frame.ts";
import { cursorFromAddress, keys } from "./keys.ts";
import { stays } from "./offline.ts";
import { patches } from "./patch.ts";
import { polls } from "./poll.ts";
import { previews } from "./preview.ts";
import { selection } from "./select.ts";
import { times } from "./time.ts";
import { count, switches } from "./told.ts";
import { unsaved } from "./unsaved.ts";

document.documentElement.classList.add("js");

/** Runs again after each patch of the page. */
function dress(): void {
  count(Number(document.body.dataset["unread"]));
  times();
  copies();
  restoreDrafts();
  retry();
}

/** The page shown while a store is down, and a long action, continue by themselves. */
function retry(): void {
  const seconds = Number(document.body.dataset["retry"]);
  if (seconds > 0) setTimeout(() => location.reload(), seconds * 1000);
  document.querySelector<HTMLFormElement>("form[data-auto]")?.requestSubmit();
}

stays();
dress();
composers();
selection();
patches(dress);
keys();
commandMenu();
cursorFromAddress();
polls();
switches();
previews();
unsaved();
frames();
