// Exchanges the part of the page that changes. The page is complete without it.
"use strict";
(() => {
  const part = document.getElementById("part");
  if (!part) return;
  const lost = document.getElementById("lost");
  let events = null;
  const close = () => {
    if (events) events.close();
    events = null;
  };
  // Of a refusal its reason is not told. Where the session is over or the run is gone, the page that is
  // there now says so.
  const refused = async () => {
    try {
      const { status } = await fetch(location.href, { method: "HEAD", cache: "no-store" });
      if (status === 401 || status === 404) return location.reload();
    } catch {
      // Nobody answers.
    }
    setTimeout(open, 5000);
  };
  const open = () => {
    if (events || document.hidden) return;
    events = new EventSource(part.dataset.events);
    events.onopen = () => { lost.hidden = true; };
    events.onerror = () => {
      lost.hidden = false;
      if (events && events.readyState === EventSource.CLOSED) {
        close();
        refused();
      }
    };
    events.onmessage = (event) => { part.innerHTML = event.data; };
  };
  // A browser opens few connections to one place: a page that nobody sees needs none.
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  open();
})();
