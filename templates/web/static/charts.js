// Draws every figure with data-chart: its specification and its data are fetched from here, nothing from elsewhere.
// Expressions are interpreted, never compiled, so that the content policy needs no eval. Without scripts the figure
// shows a picture instead.
"use strict";

const dark = matchMedia("(prefers-color-scheme: dark)");
const options = {
  ast: true, actions: false, logLevel: 1,  // an empty table is no mistake
  renderer: "canvas", defaultStyle: false,
  tooltip: { disableDefaultStyle: true, theme: "ours" },
};

async function fetched(address) {
  const answer = await fetch(address, { credentials: "same-origin" });
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
}

async function draw(figure) {
  const holder = figure.querySelector(".drawn");
  const theme = dark.matches ? "dark" : "light";
  try {
    const [spec, data] = await Promise.all([
      fetched(`/static/${figure.dataset.chart}.${theme}.json?v=${figure.dataset.version}`),
      fetched(figure.dataset.source),
    ]);
    const empty = !Object.values(data).some((rows) => rows.length);
    if (empty) { holder.textContent = "Nothing to draw yet."; return; }
    spec.datasets = { ...spec.datasets, ...data };
    await window.vegaEmbed(holder, spec, options);
    figure.dataset.drawn = "true";
  } catch (error) {
    holder.textContent = "This chart could not be drawn; its figures are in the tables.";
    console.error(error);
  }
}

const figures = document.querySelectorAll("figure[data-chart]");
const drawAll = () => figures.forEach(draw);
drawAll();
dark.addEventListener("change", drawAll);
