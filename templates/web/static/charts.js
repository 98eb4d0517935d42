// Draws every figure with data-chart: its specification and its data are fetched from here, nothing from elsewhere,
// and while the library, which runs after this, is still on its way.
// Expressions are interpreted, never compiled, so that the content policy needs no eval. Without scripts the figure
// shows a picture instead.
"use strict";

const dark = matchMedia("(prefers-color-scheme: dark)");
const ERRORS = 1;  // of the library's log levels: an empty table is no mistake

function formatted(value, format, locale) {
  if (!format) return value ?? "";
  return format.startsWith("%") ? locale.utcFormat(format)(new Date(value)) : locale.format(format)(value);
}

// Put together when somebody points at a mark: of the lists of the specification, the first whose fields the mark has.
function told(lists, datum, sanitize, locale) {
  const list = lists.find((one) => one.every(([, field]) => field in datum)) ?? [];
  const rows = list.map(([title, field, format]) =>
    `<tr><td class="key">${sanitize(title)}</td><td class="value">${sanitize(formatted(datum[field], format, locale))}</td></tr>`);
  return `<table>${rows.join("")}</table>`;
}

async function fetched(address) {
  const answer = await fetch(address, { credentials: "same-origin" });
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
}

const loaded = new Promise((ready) => document.getElementById("library").addEventListener("load", ready));
const views = new Map();  // by what holds them

// Resolved once the browser has shown what was drawn until now.
const shown = () => new Promise((ready) => requestAnimationFrame(() => setTimeout(ready)));

function asked(figure) {
  const theme = dark.matches ? "dark" : "light";
  const parts = Promise.all([
    fetched(`/static/${figure.dataset.chart}.${theme}.json?v=${figure.dataset.version}`),
    fetched(figure.dataset.source),
  ]);
  parts.catch(() => {});  // told when it is drawn
  return { figure, parts };
}

async function draw({ figure, parts }) {
  const holder = figure.querySelector(".drawn");
  try {
    const [spec, data] = await parts;
    const empty = !Object.values(data).some((rows) => rows.length);
    if (empty) { holder.textContent = "Nothing to draw yet."; return; }
    for (const table of spec.data) if (table.name in data) table.values = data[table.name];
    await loaded;
    const { parse, View, expr, Tooltip } = window.library;
    const formatTooltip = (datum, sanitize) => told(spec.usermeta.told, datum, sanitize, view.locale());
    const tooltip = new Tooltip({ disableDefaultStyle: true, theme: "ours", formatTooltip });
    views.get(holder)?.finalize();
    holder.textContent = "";
    const view = new View(parse(spec, {}, { ast: true }), { expr, logLevel: ERRORS, renderer: "canvas", container: holder });
    views.set(holder, view);
    await view.tooltip(tooltip.call).runAsync();
    figure.dataset.drawn = "true";
  } catch (error) {
    holder.textContent = "This chart could not be drawn; its figures are in the tables.";
    console.error(error);
  }
}

// One after the other, and the next is not asked for before the one before can be seen: the first chart of a page is what
// somebody came for, and two that the server or the browser works on at once both take twice as long.
async function drawAll() {
  for (const figure of document.querySelectorAll("figure[data-chart]")) {
    await draw(asked(figure));
    await shown();
  }
}

drawAll();
dark.addEventListener("change", drawAll);
