"use strict";
(() => {
  const tip = document.getElementById("tip");

  // The marks of a chart by level: { label, at, marks }, at being the position within the drawing.
  const levelsOf = (chart) => {
    const levels = new Map();
    for (const mark of chart.querySelectorAll(".series .mark[data-x]")) {
      const label = mark.dataset.x;
      const at = mark.transform.baseVal.getItem(0).matrix.e;
      if (!levels.has(label)) levels.set(label, { label, at, marks: [] });
      levels.get(label).marks.push(mark);
    }
    return [...levels.values()].sort((a, b) => a.at - b.at);
  };

  const element = (kind, text, className) => {
    const made = document.createElement(kind);
    if (text) made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  const describe = (mark, unit) => {
    const series = mark.parentNode;
    const row = element("div", "", "row " + series.getAttribute("class").replace("series ", ""));
    const name = element("span");
    name.append(element("span", "", "dot"), series.dataset.name);
    const range = mark.dataset.range ? ` (${mark.dataset.range})` : "";
    row.append(name, element("span", `${mark.dataset.y} ${unit}${range}`));
    return row;
  };

  for (const chart of document.querySelectorAll(".chart[data-unit]")) {
    const cursor = chart.querySelector(".cursor");
    const levels = levelsOf(chart);
    let shown = -1;

    const hide = () => {
      shown = -1;
      tip.hidden = true;
      cursor.style.visibility = "hidden";
    };

    const show = (index) => {
      if (index < 0 || index >= levels.length) return;
      shown = index;
      const level = levels[index];
      cursor.setAttribute("x1", level.at);
      cursor.setAttribute("x2", level.at);
      cursor.style.visibility = "visible";
      const unit = level.label === "1" ? chart.dataset.level : chart.dataset.levels;
      tip.replaceChildren(element("b", `${level.label} ${unit}`));
      for (const mark of level.marks) tip.append(describe(mark, chart.dataset.unit));
      tip.hidden = false;
      const box = chart.getBoundingClientRect();
      const x = box.left + (level.at / chart.viewBox.baseVal.width) * box.width;
      const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
      const right = x + 14 <= room ? x + 14 : x - tip.offsetWidth - 14;
      tip.style.left = `${Math.max(8, Math.min(right, room)) + scrollX}px`;
      tip.style.top = `${box.top + scrollY + 12}px`;
    };

    const point = (event) => {
      const box = chart.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * chart.viewBox.baseVal.width;
      const distance = levels.map((level) => Math.abs(level.at - at));
      show(distance.indexOf(Math.min(...distance)));
    };
    chart.addEventListener("pointermove", point);
    chart.addEventListener("pointerdown", point);
    chart.addEventListener("pointerleave", hide);
    chart.addEventListener("blur", hide);
    chart.addEventListener("focus", () => { if (shown < 0 && chart.matches(":focus-visible")) show(levels.length - 1); });
    chart.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (event.key === "Escape") hide();
      if (!step) return;
      event.preventDefault();
      show(shown < 0 ? 0 : Math.max(0, Math.min(levels.length - 1, shown + step)));
    });
  }

  // Paper has no folds: what belongs on it opens for printing, where the style sheet cannot do that.
  addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll("details.layer, details.paper")) fold.open = true;
  });

  // A link unfolds what it leads to, in browsers that do not do so by themselves.
  const unfold = () => {
    const fold = document.getElementById(location.hash.slice(1))?.closest("details");
    if (!fold || fold.open) return;
    fold.open = true;
    fold.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  unfold();
})();
