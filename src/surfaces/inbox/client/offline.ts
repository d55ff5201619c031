/** Says that there is no connection, and leaves the page with its selection and its place as it is. */
function tell(): void {
  document.querySelector(".toast.offline")?.remove();
  const said = document.createElement("p");
  said.className = "toast offline";
  said.setAttribute("role", "alert");
  said.textContent = document.body.dataset["offline"] ?? "";
  document.querySelector("main")?.append(said);
}

/** Deals with a request that failed: without a connection the page stays, otherwise the browser does what it would without a script. */
export function failed(error: unknown, otherwise: () => void): void {
  if (error instanceof TypeError) tell();
  else otherwise();
}

/** Keeps a browser that knows it has no connection on this page: its own page of errors would lose what was typed and selected. */
export function stays(): void {
  const hold = (event: Event): void => {
    if (navigator.onLine) return;
    event.preventDefault();
    event.stopPropagation();
    tell();
  };
  document.addEventListener("submit", hold, true);
  document.addEventListener(
    "click",
    (event) => {
      const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
      if (link && !link.getAttribute("href")?.startsWith("#")) hold(event);
    },
    true,
  );
}
