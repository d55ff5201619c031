/** Answers with the sentence that says which line to change: a Worker that is set up wrongly serves nobody yet. */
export const faultResponse = (fault: string): Response =>
  new Response(`${fault}\n`, {
    status: 503,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });
