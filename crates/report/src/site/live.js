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
  const open = () => {
    if (events || document.hidden) return;
    events = new EventSource(part.dataset.events);
    events.onopen = () => { lost.hidden = true; };
    events.onerror = () => {
      lost.hidden = false;
      // A refusal ends it for good; whatever is there then may be another page.
      if (events && events.readyState === EventSource.CLOSED) {
        close();
        setTimeout(open, 5000);
      }
    };
    events.onmessage = (event) => { part.innerHTML = event.data; };
  };
  // A browser opens few connections to one place: a page that nobody sees needs none.
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  open();
})();
