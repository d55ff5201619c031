const ON = "on";
/** The ways in which this browser tells of something new, each under its name in the browser's storage. */
const kept = (what: string): string => `inbox-told:${what}`;

const isOn = (what: string): boolean => {
  try {
    return localStorage.getItem(kept(what)) === ON;
  } catch {
    return false;
  }
};

let plain = "";
let icon: string | undefined;
let known: number | null = null;

/** Shows the number of unread submissions in the title and on the icon of the page. */
export function count(unread: number): void {
  if (document.body.dataset["unread"] === undefined) return;
  document.body.dataset["unread"] = String(unread);
  // A patch of the page sets the title anew.
  plain = document.title.replace(/^\(\d+\) /, "");
  document.title = unread > 0 ? `(${unread}) ${plain}` : plain;
  const link = document.querySelector<HTMLLinkElement>("link[rel=icon][data-badge]");
  if (!link) return;
  icon ??= link.href;
  const wanted = unread > 0 ? (link.dataset["badge"] ?? icon) : icon;
  if (link.getAttribute("href") !== wanted) link.setAttribute("href", wanted);
}

/** Tells of new submissions as the person has asked for, while another window has the attention. */
export function news(unread: number, says: string): void {
  const isNew = known !== null && unread > known;
  known = unread;
  count(unread);
  if (!isNew || document.hasFocus()) return;
  if (isOn("sound")) beep();
  if (isOn("notice") && "Notification" in window && Notification.permission === "granted") {
    // The tag replaces the last one: a night's worth of them is one.
    const told = new Notification(plain, { body: says, tag: "inbox" });
    told.addEventListener("click", () => window.focus());
  }
}

/** The switches of the account menu. */
export function switches(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-told]")) press(button);
  document.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLButtonElement>("[data-told]") : null;
    if (button) void toggle(button);
  });
}

const press = (button: HTMLButtonElement): void =>
  button.setAttribute("aria-pressed", String(isOn(button.dataset["told"] ?? "")));

async function toggle(button: HTMLButtonElement): Promise<void> {
  const what = button.dataset["told"] ?? "";
  const wants = !isOn(what);
  if (wants && what === "notice" && "Notification" in window) {
    if ((await Notification.requestPermission()) !== "granted") {
      button.setAttribute("title", button.dataset["blocked"] ?? "");
      return;
    }
  }
  try {
    localStorage.setItem(kept(what), wants ? ON : "off");
  } catch {
    // A browser that keeps nothing tells nothing.
  }
  if (wants && what === "sound") beep();
  press(button);
}

/** A short tone, made here: a file of sound would be larger than all of this script. */
function beep(): void {
  const context = new AudioContext();
  const tone = context.createOscillator();
  const volume = context.createGain();
  tone.frequency.value = 880;
  volume.gain.setValueAtTime(0.08, context.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + 0.35);
  tone.connect(volume).connect(context.destination);
  tone.start();
  tone.stop(context.currentTime + 0.35);
  tone.addEventListener("ended", () => void context.close());
}
