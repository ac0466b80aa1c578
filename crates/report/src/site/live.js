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
    events.onmessage = (event) => exchange(event.data);
  };
  // What somebody has chosen stays chosen, and a list that is open is not closed.
  let waiting = null;
  const chooses = () => part.contains(document.activeElement) && document.activeElement.matches("select");
  const exchange = (html) => {
    if (chooses()) {
      waiting = html;
      return;
    }
    waiting = null;
    const chosen = [...part.querySelectorAll("select")].map(({ name, value }) => [name, value]);
    part.innerHTML = html;
    for (const [name, value] of chosen) {
      const list = part.querySelector(`select[name="${name}"]`);
      if (list && [...list.options].some((option) => option.value === value)) list.value = value;
    }
  };
  part.addEventListener("focusout", () => setTimeout(() => {
    if (waiting !== null) exchange(waiting);
  }));
  // A browser opens few connections to one place: a page that nobody sees needs none.
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  open();
})();
