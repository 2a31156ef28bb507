// SPDX-License-Identifier: BSD-3-Clause
// Draws each chart out of the JSON beside it; the count lets a test see that all were drawn.
"use strict";
(async () => {
  const options = { responsive: true, displaylogo: false, modeBarButtonsToRemove: ["select2d", "lasso2d"] };
  let drawn = 0;
  for (const place of document.querySelectorAll(".chart")) {
    const figure = JSON.parse(place.nextElementSibling.textContent);
    await Plotly.newPlot(place, figure.data, figure.layout, options);
    document.body.dataset.chartsDrawn = String(++drawn);
  }
})();
