/** Writes times in the reader's own zone and language. */
export function times(): void {
  const lang = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
  const now = new Date();
  const day = { day: "numeric", month: "short" } as const;
  // A formatter takes longer to make than a time to write.
  const looks = {
    full: new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeStyle: "short" }),
    hour: new Intl.DateTimeFormat(lang, { hour: "2-digit", minute: "2-digit" }),
    day: new Intl.DateTimeFormat(lang, day),
    year: new Intl.DateTimeFormat(lang, { ...day, year: "numeric" }),
  };
  for (const element of document.querySelectorAll<HTMLTimeElement>("time[data-time]")) {
    const date = new Date(element.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    const full = looks.full.format(date);
    const short =
      date.toDateString() === now.toDateString()
        ? looks.hour
        : date.getFullYear() === now.getFullYear()
          ? looks.day
          : looks.year;
    element.textContent = element.dataset["time"] === "short" ? short.format(date) : full;
    element.title = full;
  }
}
