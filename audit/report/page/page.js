// Draws the timelines that the page carries in #data, in the colours of the
// style sheet, and draws them again when the width or the colours change.
(() => {
  "use strict";
  const charts = JSON.parse(document.getElementById("data").textContent) || [];
  // Each value of a column is told by its difference from the one before.
  for (const chart of charts) {
    for (const key of ["usage", "fair", "demand", "guarantee", "limit", "counts", "count_limit"]) {
      let last = 0;
      if (chart[key]) chart[key] = chart[key].map((v) => v == null ? null : last += v);
    }
  }
  const root = document.documentElement;
  const colour = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();
  const two = (n) => String(n).padStart(2, "0");
  const clock = (d) => two(d.getUTCHours()) + ":" + two(d.getUTCMinutes());
  const day = (d) => d.getUTCFullYear() + "-" + two(d.getUTCMonth() + 1) + "-" + two(d.getUTCDate());
  const percent = (x) => x == null ? "–" : (x / 100).toFixed(1) + " %";

  // Labels of the time axis: the day where one begins, else the clock.
  function timeLabels(u, splits) {
    let last = "";
    return splits.map((s) => {
      const d = new Date(s * 1000), today = day(d), first = today !== last;
      last = today;
      const midnight = d.getUTCHours() === 0 && d.getUTCMinutes() === 0;
      if (splits.length > 1 && splits[1] - splits[0] >= 86400) return today.slice(5);
      if (splits.length > 1 && splits[1] - splits[0] < 60) return clock(d) + ":" + two(d.getUTCSeconds());
      return midnight ? today.slice(5) : first ? clock(d) + "\n" + today.slice(5) : clock(d);
    });
  }

  // The findings: filled where violated, hatched where suspect, else outlined.
  function drawMarks(u, marks) {
    const c = u.ctx, box = u.bbox, dense = devicePixelRatio;
    c.save();
    c.beginPath();
    c.rect(box.left, box.top, box.width, box.height);
    c.clip();
    for (const m of marks) {
      const from = u.valToPos(m.from / 1000, "x", true), to = u.valToPos(m.to / 1000, "x", true);
      if (to < box.left || from > box.left + box.width) continue;
      const width = Math.max(to - from, 2 * dense);
      if (m.verdict === "noted") { // legal: a thin line is enough
        c.fillStyle = colour("noted");
        c.globalAlpha = 0.7;
        c.fillRect(from, box.top, width, 2 * dense);
        continue;
      }
      c.strokeStyle = c.fillStyle = colour(m.verdict === "violated" || m.verdict === "suspect" ? m.verdict : "excused");
      c.lineWidth = dense;
      if (m.verdict === "violated") {
        c.globalAlpha = 0.16;
        c.fillRect(from, box.top, width, box.height);
        c.globalAlpha = 1;
        c.fillRect(from, box.top, width, 5 * dense);
        continue;
      }
      c.globalAlpha = 0.8;
      c.setLineDash(m.verdict === "suspect" ? [] : [4 * dense, 3 * dense]);
      c.strokeRect(from, box.top + dense / 2, width, box.height - dense);
      if (m.verdict === "suspect") {
        c.save();
        c.beginPath();
        c.rect(from, box.top, width, box.height);
        c.clip();
        c.globalAlpha = 0.35;
        c.beginPath();
        for (let x = Math.max(from, box.left) - box.height; x < Math.min(to, box.left + box.width); x += 9 * dense) {
          c.moveTo(x, box.top + box.height);
          c.lineTo(x + box.height, box.top);
        }
        c.stroke();
        c.restore();
      }
      c.setLineDash([]);
    }
    c.restore();
  }

  const lines = [
    ["usage", "usage", { width: 1, fill: "usage-fill" }],
    ["fair", "fair share", { width: 2 }],
    ["guarantee", "guarantee", { width: 2, dash: [7, 4] }],
    ["limit", "limit", { width: 2, dash: [10, 3, 2, 3] }],
    ["demand", "demand", { width: 1.5, dash: [2, 3] }],
  ];

  function draw(place) {
    const data = charts[Number(place.dataset.chart)];
    const n = data.usage.length, x = [];
    for (let i = 0; i <= n; i++) x.push((data.from + i * data.step) / 1000);
    const columns = [x], series = [{ label: "time", value: (u, v) => v == null ? "–" : day(new Date(v * 1000)) + " " + clock(new Date(v * 1000)) }];
    let top = 500;
    // Counts of operations have an axis of their own, and no shares beside them.
    const counted = data.counts;
    if (counted) {
      const whole = (u, v) => v == null ? "–" : String(v);
      top = 1;
      for (const [key, label, look] of [["counts", data.noun, { width: 1, fill: "usage-fill", stroke: "usage" }], ["count_limit", "limit", { width: 2, dash: [10, 3, 2, 3], stroke: "limit" }]]) {
        columns.push(data[key].concat(data[key][n - 1]));
        top = Math.max(top, ...data[key]);
        series.push({ label, width: look.width, dash: look.dash, stroke: colour(look.stroke), fill: look.fill && colour(look.fill), paths: uPlot.paths.stepped({ align: 1 }), points: { show: false }, value: whole });
      }
    }
    for (const [key, label, look] of counted ? [] : lines) {
      if (!data[key]) continue;
      columns.push(data[key].concat(data[key][n - 1]));
      if (key !== "demand" && key !== "limit") top = Math.max(top, ...data[key]);
      series.push({
        label, width: look.width, dash: look.dash, stroke: colour(key === "fair" ? "fair" : key), fill: look.fill && colour(look.fill),
        paths: uPlot.paths.stepped({ align: 1 }), points: { show: false }, value: (u, v) => percent(v),
      });
    }
    // Demand may be many times the tree; it may not press the rest flat.
    const demand = counted ? 0 : Math.max(0, ...data.demand);
    top = Math.max(top, Math.min(demand, 2 * top)) * 1.08;
    // Where it is cut that stands at the top.
    const mark = (u) => {
      if (demand <= top) return;
      const c = u.ctx;
      c.save();
      c.font = 11 * devicePixelRatio + "px system-ui, sans-serif";
      c.textAlign = "right";
      c.textBaseline = "top";
      const text = "↑ demand up to " + percent(demand), width = c.measureText(text).width;
      const right = u.bbox.left + u.bbox.width - 4, above = u.bbox.top + 4 * devicePixelRatio;
      c.fillStyle = getComputedStyle(document.body).backgroundColor; // no line of the grid strikes it through
      c.fillRect(right - width - 4, above, width + 8, 13 * devicePixelRatio);
      c.fillStyle = colour("demand");
      c.fillText(text, right, above);
      c.restore();
    };
    const axis = { stroke: colour("dim"), grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line"), width: 1, size: 4 }, font: "12px system-ui, sans-serif" };
    const printed = root.classList.contains("printed"), width = printed ? 680 : place.clientWidth;
    let touched = false;
    place.replaceChildren();
    const plot = new uPlot({
      width, height: printed ? 150 : 190, series,
      tzDate: (t) => uPlot.tzDate(new Date(t * 1000), "Etc/UTC"),
      scales: { x: { time: true, range: (u, min, max) => [min, max] }, y: { range: [0, top] } },
      axes: [
        { ...axis, values: timeLabels, size: 36, space: 64 },
        { ...axis, values: (u, s) => s.map((v) => counted ? (v % 1 ? "" : v) : v / 100 + " %"), size: 52, space: 34 },
      ],
      // Where a finger was, the values stay.
      cursor: { points: { size: 6 }, bind: { mouseleave: (u, target, leave) => (e) => touched ? null : leave(e) } },
      legend: { markers: { width: 2, dash: (u, i) => !series[i].dash ? "solid" : series[i].dash[0] < 5 ? "dotted" : "dashed" } },
      hooks: {
        drawAxes: [(u) => drawMarks(u, data.marks || [])],
        draw: [mark],
        // A legend without a moment has no values.
        setCursor: [(u) => u.root.classList.toggle("reading", u.cursor.idx != null)],
      },
    }, columns, place);
    // A finger reads values off as a mouse does; the page still scrolls.
    const touch = (e) => {
      const box = plot.over.getBoundingClientRect(), at = e.touches[0];
      touched = true;
      plot.setCursor({ left: at.clientX - box.left, top: at.clientY - box.top });
    };
    plot.over.addEventListener("touchstart", touch, { passive: true });
    plot.over.addEventListener("touchmove", touch, { passive: true });
  }

  // An id is shown without its middle; a click selects the whole, and copies it.
  const copy = (id) => {
    getSelection().selectAllChildren(id);
    if (!navigator.clipboard) return;
    navigator.clipboard.writeText(id.textContent).then(() => {
      id.classList.add("copied");
      setTimeout(() => id.classList.remove("copied"), 1500);
    }, () => {});
  };
  for (const id of document.querySelectorAll(".id")) {
    id.tabIndex = 0;
    id.setAttribute("role", "button");
    id.setAttribute("aria-label", "Copy " + id.textContent);
    id.addEventListener("click", (e) => {
      e.preventDefault(); // it does not fold what it is the title of
      copy(id);
    });
    id.addEventListener("keydown", (e) => {
      if (e.key !== "Enter" && e.key !== " ") return;
      e.preventDefault();
      copy(id);
    });
  }

  // The head of a column sorts a table by it; what is alike stays in its order.
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
    heads.forEach((head, n) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const first = head.dataset.first || "ascending", other = first === "ascending" ? "descending" : "ascending";
        const way = head.getAttribute("aria-sort") === first ? other : first;
        for (const h of heads) h.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", way);
        const key = (row) => row.cells[n].dataset.key, up = way === "ascending" ? 1 : -1;
        body.append(...[...body.rows].sort((a, b) => up * key(a).localeCompare(key(b), "en", { numeric: true })));
      });
    });
  }

  const places = [...document.querySelectorAll(".plot")];
  // What is folded has no width: it is drawn when it is opened.
  const drawAll = () => places.forEach((place) => place.clientWidth && draw(place));
  drawAll();
  const folds = [...document.querySelectorAll("details")].filter((fold) => !fold.closest("figure"));
  for (const fold of folds) {
    fold.addEventListener("toggle", () => fold.open && fold.querySelectorAll(".plot").forEach((place) => place.clientWidth && draw(place)));
  }
  // A link into a fold opens it. A finding that is not spelled out has no place to go to.
  const reveal = () => {
    const name = decodeURIComponent(location.hash.slice(1)), target = name && document.getElementById(name);
    const elsewhere = document.getElementById("elsewhere"), id = /^finding-(\w+)$/.exec(name);
    elsewhere.hidden = Boolean(target) || !id;
    if (!elsewhere.hidden) elsewhere.textContent = "Finding " + id[1] + " is not spelled out on this page: poolproof explain RUN " + id[1];
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  // A link to where one is already changes nothing, and opens what was closed since.
  addEventListener("click", (e) => e.target.closest("a[href^='#']") && setTimeout(reveal));
  reveal();

  let width = root.clientWidth;
  addEventListener("resize", () => {
    if (root.clientWidth !== width) {
      width = root.clientWidth;
      drawAll();
    }
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  let folded = [];
  const printing = (yes) => {
    if (root.classList.contains("printed") === yes) return;
    root.classList.toggle("printed", yes);
    if (yes) folded = folds.filter((fold) => !fold.open);
    for (const fold of folded) fold.open = yes; // paper has no folds
    drawAll();
  };
  addEventListener("beforeprint", () => printing(true));
  addEventListener("afterprint", () => printing(false));
})();
