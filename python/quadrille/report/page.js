// SPDX-License-Identifier: BSD-3-Clause
// Draws each chart out of the JSON beside it, when it is about to come into view: a sweep has hundreds, of which
// each takes tens of milliseconds. What is printed needs all of them. The counts let a test see what was drawn.
"use strict";
(() => {
  const options = { responsive: true, displaylogo: false, modeBarButtonsToRemove: ["select2d", "lasso2d"] };
  const places = [...document.querySelectorAll(".chart")];
  const drawn = new Set();

  // plotly.js stands in the page as text and becomes a script with the first chart.
  function havePlotly() {
    const text = document.getElementById("plotly");
    if (text === null) return;
    const script = document.createElement("script");
    script.textContent = text.textContent;
    text.remove();
    document.head.append(script);
  }

  // "bytes from each rank to<br>each other rank": what is longer than a line of `most` letters.
  function inLines(text, most) {
    let line = 0;
    return text.split(" ").reduce((lines, word) => {
      const breaks = line > 0 && line + 1 + word.length > most;
      line = breaks ? word.length : line + 1 + word.length;
      return lines + (lines === "" ? "" : breaks ? "<br>" : " ") + word;
    }, "");
  }

  // On a phone the legend takes several lines, titles need lines of their own, and a finger shall scroll the page.
  function fitted(layout) {
    const axes = Object.keys(layout).filter((key) => /^[xy]axis/.test(key) && layout[key].title);
    const titles = axes.map((key) => {
      const axis = layout[key];
      return [key, { ...axis, title: { ...axis.title, text: inLines(axis.title.text ?? "", 34), font: { size: 11.5 } } }];
    });
    const title = layout.title && {
      ...layout.title, text: inLines(layout.title.text ?? "", 40), y: 0.985, yanchor: "top", font: { size: 13.5 },
    };
    const margin = { ...layout.margin, t: Math.max(84, layout.margin?.t ?? 0), r: 8 };
    return { ...layout, ...Object.fromEntries(titles), title, margin, dragmode: false };
  }

  function draw(place, width) {
    havePlotly();
    drawn.add(place);
    const figure = JSON.parse(place.nextElementSibling.textContent);
    const isNarrow = place.clientWidth < 420;
    const layout = { ...(isNarrow ? fitted(figure.layout) : figure.layout), width };
    Plotly.newPlot(place, figure.data, layout, { ...options, displayModeBar: isNarrow ? false : undefined });
    document.body.dataset.chartsDrawn = String(drawn.size);
  }

  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries.filter((one) => one.isIntersecting)) {
        observer.unobserve(entry.target);
        if (!drawn.has(entry.target)) draw(entry.target);
      }
    },
    { rootMargin: "400px" },
  );
  places.forEach((place) => observer.observe(place));
  // So that the first chart need not wait for it, unless it comes at once.
  if (places.length > 0) (window.requestIdleCallback ?? setTimeout)(havePlotly);

  // Paper is narrower than most windows, and the browser does not tell how wide it will be: this fits A4 and Letter.
  const paper = 660;
  let forPaper = [];
  addEventListener("beforeprint", () => {
    for (const place of drawn) Plotly.relayout(place, { width: paper });
    forPaper = places.filter((place) => !drawn.has(place));
    for (const place of forPaper) draw(place, paper);
  });
  addEventListener("afterprint", () => {
    for (const place of forPaper) {
      Plotly.purge(place);
      drawn.delete(place);
      observer.observe(place);
    }
    for (const place of drawn) Plotly.relayout(place, { width: null, autosize: true });
  });
})();
