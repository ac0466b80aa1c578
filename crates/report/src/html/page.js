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
      const seen = level.marks.filter((mark) => mark.parentNode.style.display !== "none");
      tip.append(...seen.map((mark) => describe(mark, chart.dataset.unit)));
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

  // A number on an axis, as weighin writes them.
  const short = (value) => Number(value.toPrecision(10)).toLocaleString("en-US", { maximumFractionDigits: 10 });

  // Of any number of values; a call with so many arguments would fail.
  const smallest = (values) => values.reduce((a, b) => Math.min(a, b));
  const largest = (values) => values.reduce((a, b) => Math.max(a, b));

  const linearTicks = (most) => {
    const rough = (most > 0 ? most : 1) / 5;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * ([1, 2, 2.5, 5].find((factor) => factor * power >= rough * 0.999999999) ?? 10);
    const steps = Math.ceil(most / step - 1e-9) || 1;
    const ticks = Array.from({ length: steps + 1 }, (_, i) => i * step);
    return { low: 0, high: steps * step, ticks };
  };

  const logTicks = (least, most) => {
    let ticks = [];
    for (const steps of [[1, 2, 5], [1, 1.5, 2, 3, 5, 7], [1, 1.2, 1.4, 1.6, 1.8, 2, 2.3, 2.6, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9]]) {
      const all = [];
      for (let e = Math.floor(Math.log10(least)); e <= Math.floor(Math.log10(most)) + 1; e++) all.push(...steps.map((step) => step * 10 ** e));
      const first = Math.max(0, all.findLastIndex((tick) => tick <= least * 1.000000001));
      const last = all.findIndex((tick) => tick >= most * 0.999999999);
      ticks = all.slice(first, Math.max(last, first + 1) + 1);
      if (ticks.length >= 4) break;
    }
    const [low, high] = [ticks[0], ticks.at(-1)];
    const decades = ticks.filter((tick) => Math.abs(Math.log10(tick) - Math.round(Math.log10(tick))) < 1e-9);
    return { low, high, ticks: ticks.length > 8 && decades.length > 1 ? decades : ticks };
  };

  const svgElement = (chart, kind, attributes, text = "") => {
    const made = document.createElementNS(chart.namespaceURI, kind);
    for (const name in attributes) made.setAttribute(name, attributes[name]);
    made.textContent = text;
    return made;
  };

  // A chart whose axis of figures can be drawn anew: for the series that are left, or on another scale.
  const adjustable = (chart) => {
    const [kind, ...numbers] = chart.dataset.axis.split(" ");
    const [low, high, bottom, top] = numbers.map(Number);
    const share = (y) => (bottom - y) / (bottom - top);
    const valueAt = (y) => kind === "log" ? low * (high / low) ** share(y) : low + (high - low) * share(y);
    const ticks = chart.querySelector(".ticks");
    const drawnTicks = [...ticks.childNodes];
    const grid = ticks.querySelector(".grid").getAttribute("d");
    const ends = [...grid.matchAll(/[ML]([\d.]+)/g)].map((match) => match[1]);
    const parts = [];
    for (const part of chart.querySelectorAll(".line, .band, .whisker, .repeats, .law, .series .mark, .leader, .labels .name")) {
      const attribute = part.matches(".mark") ? "transform" : part.matches(".name") ? "y" : "d";
      const drawn = part.getAttribute(attribute);
      const owner = part.closest("[data-s]");
      const found = attribute === "d" ? [...drawn.matchAll(/([ML])([\d.-]+) ([\d.-]+)/g)].map((m) => Number(m[3]))
        : attribute === "transform" ? [Number(drawn.match(/ ([\d.-]+)\)/)[1])] : [];
      parts.push({ part, attribute, drawn, owner, values: found.map(valueAt) });
    }
    const isMeasured = ({ part }) => part.matches(".mark, .repeats, .law, .line");
    const isInterval = ({ part }) => part.matches(".whisker, .band") && !part.matches(".cut");
    const place = (labels, position) => {
      const ordered = labels.sort((a, b) => position(a) - position(b));
      let floor = top + 4;
      for (const label of ordered) { label.at = Math.max(position(label), floor); floor = label.at + 16; }
      let ceiling = bottom - 4;
      for (const label of ordered.reverse()) { label.at = Math.min(label.at, ceiling); ceiling = label.at - 16; }
    };
    const redraw = (isLog, isShown) => {
      const shown = parts.filter(({ owner }) => isShown(owner));
      const valuesOf = (which) => shown.filter(which).flatMap(({ values }) => values);
      const measured = valuesOf(isMeasured).filter((value) => value > 0);
      if (measured.length === 0) measured.push(1);
      // No axis is crushed by one interval.
      const room = isLog ? 2 : 1.4;
      const [least, most] = [smallest(measured) / room, largest(measured) * room];
      const values = [...measured, ...valuesOf(isInterval).map((value) => Math.max(least, Math.min(most, value)))];
      const axis = isLog ? logTicks(smallest(values), largest(values)) : linearTicks(largest(values));
      const at = (value) => {
        const within = isLog ? Math.log(Math.max(value, axis.low) / axis.low) / Math.log(axis.high / axis.low)
          : (value - axis.low) / (axis.high - axis.low);
        return bottom - Math.max(0, Math.min(1, within)) * (bottom - top);
      };
      ticks.replaceChildren(...axis.ticks.flatMap((tick) => [
        svgElement(chart, "path", { class: "grid", d: `M${ends[0]} ${at(tick)}L${ends[1]} ${at(tick)}` }),
        svgElement(chart, "text", { class: "end", x: ends[0] - 7, y: at(tick) + 4 }, short(tick)),
      ]));
      for (const { part, attribute, drawn, values } of parts) {
        let i = 0;
        if (part.matches(".leader, .name")) continue;
        if (part.matches(".cut")) {
          // An arrow keeps its form; its tip moves.
          const tip = Number(drawn.match(/L[\d.-]+ ([\d.-]+)/)[1]);
          part.setAttribute("transform", `translate(0 ${at(values[1]) - tip})`);
        } else if (attribute === "transform") {
          part.setAttribute("transform", drawn.replace(/ [\d.-]+\)/, () => ` ${at(values[i++])})`));
          part.style.visibility = isLog && values[0] <= 0 ? "hidden" : "";
        } else {
          part.setAttribute("d", drawn.replace(/([ML][\d.-]+) [\d.-]+/g, (_, start) => `${start} ${at(values[i++])}`));
        }
      }
      const labels = shown.filter(({ part }) => part.matches(".leader"));
      place(labels, ({ values }) => at(values[0]));
      for (const label of labels) {
        const [from, to] = [...label.drawn.matchAll(/[ML]([\d.-]+)/g)].map((match) => match[1]);
        label.part.setAttribute("d", `M${from} ${at(label.values[0])}L${to} ${label.at}`);
        label.part.nextElementSibling.setAttribute("y", label.at + 4);
      }
    };
    const restore = () => {
      ticks.replaceChildren(...drawnTicks);
      for (const { part, attribute, drawn } of parts) {
        part.setAttribute(attribute, drawn);
        part.style.visibility = "";
        if (part.matches(".cut")) part.removeAttribute("transform");
      }
    };
    return { chart, isLog: kind === "log", redraw, restore };
  };

  // Targets are switched on and off, and scales changed, figure by figure.
  for (const figure of document.querySelectorAll("figure")) {
    const charts = [...figure.querySelectorAll(".chart[data-axis]")].map(adjustable);
    if (charts.length === 0) continue;
    const off = new Set();
    let isLog = charts[0].isLog;
    const isShown = (owner) => !owner || owner.dataset.s.split(" ").every((series) => !off.has(series));
    const draw = () => {
      for (const { chart, isLog: wasLog, redraw, restore } of charts) {
        for (const owner of chart.querySelectorAll("[data-s]")) owner.style.display = isShown(owner) ? "" : "none";
        if (off.size === 0 && isLog === wasLog) restore();
        else redraw(isLog, isShown);
      }
      tip.hidden = true;
    };
    const toggle = (label, isPressed, act) => {
      const button = element("button");
      button.type = "button";
      button.append(...label);
      button.setAttribute("aria-pressed", isPressed);
      button.addEventListener("click", () => { button.setAttribute("aria-pressed", act()); draw(); });
      return button;
    };
    const legend = figure.querySelector(".legend");
    const entries = legend ? [...legend.querySelectorAll("[data-s]")] : [];
    if (entries.length > 1) {
      legend.classList.remove("narrow");
      for (const entry of entries) {
        const series = entry.dataset.s;
        entry.append(toggle([...entry.childNodes], true, () => {
          if (off.delete(series)) return true;
          off.add(series);
          return false;
        }));
      }
    }
    const scale = figure.querySelector(".scale");
    figure.querySelector("figcaption").append(toggle(["Log scale"], isLog, () => {
      isLog = !isLog;
      if (scale) scale.hidden = !isLog;
      return isLog;
    }));
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
