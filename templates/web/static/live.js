// Keeps the page of a run under way fresh: the server says when something changed, then the content is taken anew.
// Without scripts the page loads itself again instead.
"use strict";

const main = document.querySelector("main");
const run = document.querySelector("script[data-run]").dataset.run;
const events = new EventSource(`/api/runs/${encodeURIComponent(run)}/events`);

async function renew() {
  const answer = await fetch(location.href, { credentials: "same-origin" });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector("main");
  if (fresh && !main.contains(document.activeElement)) main.replaceChildren(...fresh.children);
}

events.addEventListener("progress", renew);
events.addEventListener("end", () => { events.close(); location.reload(); });
