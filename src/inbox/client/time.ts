/** Writes times in the reader's own zone and language. */
export function times(): void {
  const lang = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
  const now = new Date();
  const day = { day: "numeric", month: "short" } as const;
  for (const element of document.querySelectorAll<HTMLTimeElement>("time[data-time]")) {
    const date = new Date(element.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    const full = new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeStyle: "short" }).format(date);
    const options: Intl.DateTimeFormatOptions =
      date.toDateString() === now.toDateString()
        ? { hour: "2-digit", minute: "2-digit" }
        : date.getFullYear() === now.getFullYear()
          ? day
          : { ...day, year: "numeric" };
    element.textContent =
      element.dataset["time"] === "short" ? new Intl.DateTimeFormat(lang, options).format(date) : full;
    element.title = full;
  }
}
