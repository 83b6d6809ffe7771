// Puts the interactive chart in the place of the drawn one, which stays if anything fails. Nothing here makes HTML.

const dark = matchMedia("(prefers-color-scheme: dark)");
const narrow = matchMedia("(max-width: 40rem)"); // as in trend.css
const CONFIG = {
  displaylogo: false,
  showSendToCloud: false, // plotly.js offers it unless told not to: nothing of a workspace goes to a third party
  modeBarButtons: [["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"]],
};

const WAITS_MS = 10_000; // less than the shortest time between two looks, so that a silent answer is noticed

let plotly; // a promise of the library, once somebody asked for it
let figure; // what is on screen
let asked = 0; // counts requests: only the newest answer is drawn
let resizing;

const byId = (id) => document.getElementById(id);

function loadPlotly(source) {
  plotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = source;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      plotly = undefined;
      reject(new Error("plotly.js did not load"));
    };
    document.head.append(script);
  });
  return plotly;
}

async function fetchFigure(address) {
  const url = new URL(address, location.href);
  url.searchParams.set("theme", dark.matches ? "dark" : "light");
  if (narrow.matches) url.searchParams.set("frame", "narrow");
  const answer = await fetch(url, { headers: { Accept: "application/json" }, signal: AbortSignal.timeout(WAITS_MS) });
  if (answer.status === 401) location.reload(); // the page itself leads to sign-in and back
  if (!answer.ok) throw new Error(`the figure came with status ${answer.status}`);
  return answer.json();
}

async function draw(painted = Promise.resolve()) {
  const turn = ++asked;
  const chart = byId("trend-chart");
  if (!chart) return;
  try {
    // Each by its own address: what is fetched under a hashed name cannot name another file's hash.
    const [library, { Figure }, sent] = await Promise.all([
      painted.then(() => loadPlotly(chart.dataset.plotly)),
      import(chart.dataset.reader),
      fetchFigure(chart.dataset.figure),
    ]);
    if (turn !== asked) return;
    figure = new Figure(sent);
    await place(library);
    byId("trend-note").textContent = "";
  } catch (error) {
    if (turn !== asked) return;
    delete byId("trend-live").dataset.state; // what it shows is older than the drawn one
    byId("trend-note").textContent = "The interactive chart could not load; the drawn one is complete.";
    console.info(error);
  }
}

// Draws over the drawn chart, at its size and with its margins, then lets it be seen. A zoom that was made stays.
async function place(library) {
  const live = byId("trend-live");
  const drawn = byId(narrow.matches ? "trend-narrow" : "trend-wide").getBoundingClientRect();
  const layout = structuredClone(figure.layout);
  const scale = drawn.width / layout.width;
  Object.assign(layout, { width: drawn.width, height: drawn.height, uirevision: "kept" });
  for (const side of ["l", "r", "t", "b"]) layout.margin[side] *= scale;
  for (const { font } of [layout, ...layout.annotations]) font.size *= scale;
  const fresh = !live.on; // plotly gives it listeners when it first draws there
  await library.react(live, figure.data, layout, CONFIG);
  if (fresh) {
    live.on("plotly_relayout", (change) => {
      if (Object.keys(change).some((key) => /^xaxis\.(range|autorange)/.test(key))) followZoom(library);
    });
    live.on("plotly_click", ({ points }) => openRow(figure.idOf(points[0])));
  }
  live.dataset.state = "ready";
  if (isZoomed(live)) followZoom(library);
}

// plotly speaks of times as "2026-01-05 09:12", in UTC, once the reader has zoomed.
const toNumber = (x) => (typeof x === "number" ? x : Date.parse(x.includes(" ") ? `${x.replace(" ", "T")}Z` : x));

function isZoomed(live) {
  const whole = figure.layout.xaxis.range;
  return live.layout.xaxis.range.some((x, end) => Math.abs(toNumber(x) - toNumber(whole[end])) > 1e-6);
}

// What is thinned when seen whole shows more of its points and names more of its slots when seen close.
function followZoom(library) {
  const live = byId("trend-live");
  const [low, high] = live.layout.xaxis.range.map(toNumber);
  const traces = figure.refine(low, high);
  const column = (name) => traces.map((trace) => trace[name]);
  const { width, margin, xaxis: whole } = figure.layout;
  const ticks = isZoomed(live) ? figure.ticks(low, high, width - margin.l - margin.r) : whole;
  const axis = ticks
    ? { "xaxis.tickmode": "array", "xaxis.tickvals": ticks.tickvals, "xaxis.ticktext": ticks.ticktext }
    : { "xaxis.tickmode": "auto" };
  if (!traces.length) return library.relayout(live, axis);
  const points = { x: column("x"), y: column("y"), text: column("text"), customdata: column("customdata") };
  return library.update(live, points, axis, column("index"));
}

// To the row of a replay or run: on this page of the table, else on the page that holds it.
function openRow(id) {
  if (!id) return;
  const { row, page } = byId("trend-chart").dataset;
  const anchor = `#${row}-${encodeURIComponent(id)}`;
  if (byId(`${row}-${id}`)) {
    location.hash = anchor;
    return;
  }
  const url = new URL(page, location.href);
  url.searchParams.set(row, id);
  url.hash = anchor;
  location.assign(url);
}

function watchSize() {
  const box = document.querySelector(".chart-box");
  if (!box) return;
  let width = box.clientWidth;
  new ResizeObserver(() => {
    if (box.clientWidth === width || !figure) return;
    width = box.clientWidth;
    clearTimeout(resizing);
    resizing = setTimeout(async () => place(await plotly), 120);
  }).observe(box);
}

dark.addEventListener("change", () => draw());
narrow.addEventListener("change", () => draw());
document.addEventListener("htmx:after:swap", () => draw());
// plotly.js is not run before the drawn chart is on screen, which is two frames on.
draw(new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))).then(watchSize);
