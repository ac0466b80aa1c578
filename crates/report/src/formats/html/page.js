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

  const levelName = (chart, label) => `${label} ${label === "1" ? chart.dataset.level : chart.dataset.levels}`.trim();

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
      tip.replaceChildren(element("b", levelName(chart, level.label)));
      const seen = level.marks.filter((mark) => mark.parentNode.style.display !== "none");
      tip.append(...seen.map((mark) => describe(mark, chart.dataset.unit)));
      tip.hidden = false;
      placeTip(chart, level.at);
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

  // Where the tip stands beside a position within a drawing.
  const placeTip = (chart, at) => {
    const box = chart.getBoundingClientRect();
    const x = box.left + (at / chart.viewBox.baseVal.width) * box.width;
    const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
    const right = x + 14 <= room ? x + 14 : x - tip.offsetWidth - 14;
    tip.style.left = `${Math.max(8, Math.min(right, room)) + scrollX}px`;
    tip.style.top = `${Math.max(box.top, 0) + scrollY + 12}px`;
  };

  // The panels of a trial over time, read from what is drawn: { heading, axis, lines, heat, bands }.
  const panelsOf = (chart, plot) => {
    const used = chart.querySelector("use");
    const frame = used ? document.querySelector(used.getAttribute("href")) : chart.querySelector(".frame");
    const texts = [...frame.querySelectorAll("text")].map((text) => (
      { y: Number(text.getAttribute("y")), said: text.textContent, isHeading: text.matches(".heading") }));
    const number = (said) => Number(said.replaceAll(",", ""));
    const panels = texts.filter(({ isHeading }) => isHeading).map(({ y, said }) => {
      const top = y + 4;
      const ends = texts.filter((text) => !text.isHeading && text.y > top && text.y <= top + plot);
      // Of an axis from zero the largest value is written, of one of latencies both ends.
      const [high, low] = ends.sort((a, b) => a.y - b.y).map((end) => ({ y: end.y - 6, value: number(end.said) }));
      return { heading: said, top, bottom: top + plot, high, low, lines: [] };
    });
    const within = (y) => panels.find(({ top, bottom }) => y >= top - 1 && y <= bottom + 1);
    for (const trace of chart.querySelectorAll(".trace")) {
      const numbers = (trace.getAttribute("d").match(/-?\d*\.?\d+/g) ?? []).map(Number);
      const points = [];
      for (let i = 0, x = 0, y = 0; i + 1 < numbers.length; i += 2) points.push([x += numbers[i], y += numbers[i + 1]]);
      if (points.length > 0) within(points[0][1])?.lines.push({ name: trace.classList[1], points });
    }
    for (const heat of chart.querySelectorAll(".heat")) {
      const [left, floor, width, height] = heat.getAttribute("transform").match(/-?\d*\.?\d+/g).map(Number);
      const panel = within(floor);
      if (!panel) continue;
      const cells = [];
      for (const path of heat.children) {
        let [column, row] = [0, 0];
        for (const [, kind, numbers] of path.getAttribute("d").matchAll(/([mh])([^mh]+)/g)) {
          const [across, up] = numbers.match(/-?\d+/g).map(Number);
          if (kind === "m") row += up;
          else for (let i = 0; i < across; i++) cells.push([column + i, row]);
          column += across;
        }
      }
      panel.heat = { cells, rows: Math.round(plot / Math.abs(height)), column: (x) => Math.floor((x - left) / width) };
    }
    return panels;
  };

  const LINES = { busy: "in use", iowait: "waiting for IO", read: "reads", write: "writes", busiest: "busiest", load: "mean" };

  // A value as exactly as a drawing can tell it.
  const drawnValue = (value, most) => {
    const step = 10 ** Math.floor(Math.log10(most / 400));
    return short(Math.max(0, Math.round(value / step) * step));
  };

  // What a panel says of a position, in words.
  const saidAt = ({ high, low, bottom, lines, heat }, x) => {
    if (heat) {
      const rows = heat.cells.filter(([column]) => column === heat.column(x)).map(([, row]) => row);
      if (rows.length === 0 || !low) return "";
      const edge = (row) => short(Number((low.value * (high.value / low.value) ** (row / heat.rows)).toPrecision(2)));
      return `${edge(smallest(rows))}–${edge(largest(rows) + 1)}`;
    }
    if (!high) return "";
    const said = lines.map(({ name, points }) => {
      const nearest = points.reduce((a, b) => Math.abs(b[0] - x) < Math.abs(a[0] - x) ? b : a);
      const value = drawnValue(high.value * (bottom - nearest[1]) / (bottom - high.y), high.value);
      // A line alone may stand beside one without points: only what a panel has one of needs no name.
      return lines.length > 1 || name !== "load" ? `${LINES[name] ?? name} ${value}` : value;
    });
    return said.reverse().join(", ");
  };

  // Values under the pointer in the panels of a trial, each as of the second nearest to it.
  for (const chart of document.querySelectorAll(".panels[data-time]")) {
    const [from, until, left, right, plot] = chart.dataset.time.split(" ").map(Number);
    let [panels, cursor, shown] = [null, null, null];
    const hide = () => {
      shown = null;
      tip.hidden = true;
      cursor?.remove();
    };
    const show = (x) => {
      shown = Math.max(left, Math.min(right, x));
      panels ??= panelsOf(chart, plot);
      if (panels.length === 0) return;
      cursor ??= svgElement(chart, "path", { class: "cursor", style: "visibility: visible" });
      cursor.setAttribute("d", `M${shown} ${panels[0].top}L${shown} ${panels.at(-1).bottom}`);
      chart.append(cursor);
      const seconds = from + (until - from) * (shown - left) / (right - left);
      const rows = panels.map((panel) => [panel.heading, saidAt(panel, shown)]).filter(([, said]) => said);
      const bands = [...chart.querySelectorAll("rect")].filter((band) => {
        const [start, wide] = ["x", "width"].map((name) => Number(band.getAttribute(name)));
        return shown >= start - 1 && shown <= start + wide + 1;
      });
      const titles = new Set(bands.map((band) => band.querySelector("title")?.textContent).filter(Boolean));
      tip.replaceChildren(element("b", `${short(Number(seconds.toFixed(1)))} s`));
      for (const title of titles) tip.append(element("div", title));
      for (const [heading, said] of rows) {
        const row = element("div", "", "row");
        row.append(element("span", heading), element("span", said));
        tip.append(row);
      }
      tip.hidden = false;
      placeTip(chart, shown);
    };
    const point = (event) => {
      const box = chart.getBoundingClientRect();
      show(((event.clientX - box.left) / box.width) * chart.viewBox.baseVal.width);
    };
    chart.setAttribute("tabindex", "0");
    chart.addEventListener("pointermove", point);
    chart.addEventListener("pointerdown", point);
    chart.addEventListener("pointerleave", hide);
    chart.addEventListener("blur", hide);
    chart.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (event.key === "Escape") hide();
      if (!step) return;
      event.preventDefault();
      // A second, or a hundredth of a long trial.
      const second = (right - left) / Math.max(1, Math.min(100, until - from));
      show(shown === null ? left : shown + step * second);
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

  // The repeats of a level: a row for each target that is shown, with its repeats as dots on one scale for
  // all rows, and their figures.
  const repeatTable = (chart, { label, marks }, isShown, keyOf) => {
    const number = (said) => Number(said.replaceAll(",", ""));
    const rows = marks.filter((mark) => mark.dataset.repeats && isShown(mark.parentNode)).map((mark) => ({
      series: mark.parentNode,
      median: mark.dataset.y,
      repeats: new Map(mark.dataset.repeats.split(" ").map((one) => one.split(":"))),
    }));
    const table = element("table", "", "repeats-of");
    table.append(element("caption", `Repeats at ${levelName(chart, label)}, ${chart.dataset.unit}`));
    const all = rows.flatMap(({ repeats }) => [...repeats.values()]).sort((a, b) => number(a.replace("?", "")) - number(b.replace("?", "")));
    if (all.length === 0) return table;
    const [least, most] = [all[0], all.at(-1)].map((said) => said.replace("?", ""));
    const span = number(most) - number(least) || 1;
    const at = (said) => 8 + 184 * (number(said) - number(least)) / span;
    const numbers = [...new Set(rows.flatMap(({ repeats }) => [...repeats.keys()]))].sort((a, b) => a - b);
    const head = element("tr");
    const heading = (text, className) => {
      const made = element("th", text, className);
      made.scope = "col";
      return made;
    };
    head.append(heading("target", "w"), heading(least === most ? least : `${least} to ${most}`, "s"), heading("median", "n"), ...numbers.map((one) => heading(`repeat ${one}`, "n")));
    const body = rows.map(({ series, median, repeats }) => {
      const row = element("tr");
      const name = element("td", "", "w");
      const key = keyOf(series.dataset.s)?.cloneNode(true);
      if (key) name.append(key);
      name.append(series.dataset.name);
      const dots = svgElement(chart, "svg", { class: `strip ${series.getAttribute("class").replace("series ", "")}`, viewBox: "0 0 200 16", "aria-hidden": "true" });
      dots.append(svgElement(chart, "path", { class: "grid", d: "M0 8H200" }), svgElement(chart, "path", { class: "whisker", d: `M${at(median)} 2V14` }));
      for (const said of repeats.values()) {
        if (!Number.isFinite(at(said.replace("?", "")))) continue;
        dots.append(svgElement(chart, "circle", { class: said.endsWith("?") ? "mark hollow" : "mark", cx: at(said.replace("?", "")), cy: 8, r: 4 }));
      }
      const drawn = element("td", "", "s");
      drawn.append(dots);
      row.append(name, drawn, element("td", median), ...numbers.map((one) => {
        const said = repeats.get(one) ?? "–";
        return said.endsWith("?") ? element("td", `? ${said.slice(0, -1)}`, "doubtful") : element("td", said);
      }));
      return row;
    });
    table.append(head, ...body);
    return table;
  };

  // Targets are switched on and off, and scales changed, figure by figure.
  for (const figure of document.querySelectorAll("figure")) {
    const charts = [...figure.querySelectorAll(".chart[data-axis]")].map(adjustable);
    if (charts.length === 0) continue;
    const off = new Set();
    let isLog = charts[0].isLog;
    let repeatsOf = () => {};
    const drawRepeats = () => repeatsOf();
    const isShown = (owner) => !owner || owner.dataset.s.split(" ").every((series) => !off.has(series));
    const draw = () => {
      for (const { chart, isLog: wasLog, redraw, restore } of charts) {
        for (const owner of chart.querySelectorAll("[data-s]")) owner.style.display = isShown(owner) ? "" : "none";
        if (off.size === 0 && isLog === wasLog) restore();
        else redraw(isLog, isShown);
      }
      tip.hidden = true;
      drawRepeats();
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

    // The repeats of one level, which stand close together in the chart, in a table of their own.
    const levels = levelsOf(charts[0].chart).filter(({ marks }) => marks.some((mark) => mark.dataset.repeats));
    if (levels.length === 0) continue;
    const choice = element("select");
    choice.setAttribute("aria-label", "Repeats of one level");
    choice.append(new Option("Repeats at …", ""), ...levels.map(({ label }, i) => new Option(levelName(charts[0].chart, label), i)));
    choice.addEventListener("change", drawRepeats);
    figure.querySelector("figcaption").append(choice);
    const frame = element("div", "", "scroll");
    frame.tabIndex = 0;
    frame.hidden = true;
    figure.append(frame);
    repeatsOf = () => {
      const level = levels[choice.value];
      frame.hidden = choice.value === "";
      frame.replaceChildren();
      if (level) frame.append(repeatTable(charts[0].chart, level, isShown, (series) => legend?.querySelector(`[data-s="${series}"] .key`)));
    };
  }

  // A click on a heading sorts the rows by that column, a second one the other way round.
  for (const table of document.querySelectorAll("table.standings")) {
    const body = table.tBodies[0];
    const asWritten = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    const key = (row, column) => {
      const { order } = row.cells[column].dataset;
      return order === undefined ? asWritten.indexOf(row) : Number(order);
    };
    heads.forEach((head, column) => {
      const button = element("button", head.textContent);
      button.type = "button";
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const falls = head.getAttribute("aria-sort") === "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", falls ? "descending" : "ascending");
        const sorted = [...asWritten].sort((a, b) => key(a, column) - key(b, column));
        body.append(...(falls ? sorted.reverse() : sorted));
      });
    });
  }

  // Paper has no folds: what belongs on it opens for printing, where the style sheet cannot do that.
  addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll("details.layer, details.paper")) fold.open = true;
  });

  // A link unfolds what it leads to, in browsers that do not do so by themselves.
  const unfold = () => {
    const target = document.getElementById(location.hash.slice(1));
    const folds = [];
    for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) folds.push(fold);
    if (folds.every((fold) => fold.open)) return;
    for (const fold of folds) fold.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  unfold();
})();
