// The new benchmark's form with script: the count follows each tick, Shift ticks a range, Enter sends nothing by itself,
// and whatever changes is kept on the server, the newest last.

const RETRY_MS = 5_000;
const form = document.getElementById("new-form");
const byId = (id) => document.getElementById(id);
const ticks = () => [...form.querySelectorAll('input[name="tick"]')];
let last = null;

function count() {
  const output = byId("picked-count");
  const boxes = ticks();
  const picked = boxes.filter((box) => box.checked).length;
  const total = Number(output.dataset.elsewhere) + picked;
  const { least, most } = output.dataset;
  const text = `${total} of ${least}–${most}`;
  if (output.textContent !== text) output.textContent = text;
  output.classList.toggle("count-off", total < Number(least) || total > Number(most));
  const all = byId("tick-all");
  if (!all) return;
  all.closest("label").hidden = false;
  all.checked = boxes.length > 0 && picked === boxes.length;
  all.indeterminate = picked > 0 && picked < boxes.length;
}

form.addEventListener("click", (event) => {
  const box = event.target.closest('input[name="tick"]');
  if (!box) return;
  const boxes = ticks();
  if (event.shiftKey && boxes.includes(last)) {
    const [from, to] = [boxes.indexOf(last), boxes.indexOf(box)].sort((a, b) => a - b);
    for (const one of boxes.slice(from, to + 1)) one.checked = box.checked;
  }
  last = box;
  count();
});

form.addEventListener("change", (event) => {
  if (event.target.id === "tick-all") for (const box of ticks()) box.checked = event.target.checked;
  if (event.target.name === "judge") event.target.closest(".judge").querySelector("details").open = true;
  count();
});

form.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches("input:not([type=checkbox], [type=radio])")) return;
  event.preventDefault();
  if (event.target.closest(".search-row")) form.querySelector('[value="find"]').click();
});

// Every request of this form holds all of it as it was when the request was asked for. They go one after the other, and
// of those that wait only the newest goes (hx-sync). So the server's last word is the page's, as soon as a request was
// answered that was asked for after the last edit.
let edits = 0;
let kept = 0;
let failed = false;
let underWay = 0;
let next = null; // the button of the whole page that waits for what is under way
let leaving = false;

function sayKept() {
  const isKept = kept === edits;
  const text = isKept ? "All of it is kept." : failed ? "Not kept yet." : "Being kept …";
  byId("kept").textContent = edits ? text : "";
}

function keep() {
  form.dispatchEvent(new Event("keep"));
}

form.addEventListener("input", () => {
  edits += 1;
  sayKept();
});

document.addEventListener("htmx:config:request", (event) => {
  const { ctx } = event.detail;
  if (ctx.sourceElement === form && (kept === edits || isReplacing())) {
    event.preventDefault();
    return;
  }
  ctx.edits = edits;
  if (ctx.sourceElement !== form) awaitReplacement();
});
document.addEventListener("htmx:before:request", () => (underWay += 1));
document.addEventListener("htmx:before:response", (event) => {
  const { raw } = event.detail.ctx.response;
  if (!raw.redirected) return;
  event.preventDefault(); // to a page: the form was sent in another window
  location.assign(raw.url);
});
document.addEventListener("htmx:finally:request", (event) => {
  const { ctx } = event.detail;
  underWay -= 1;
  failed = !(ctx.response?.status < 400);
  if (!failed) kept = ctx.edits;
  else if (!(ctx.response?.status < 500)) setTimeout(keep, RETRY_MS);
  if (ctx.sourceElement !== form) {
    byId("_picker").inert = false;
    if (!failed) keep(); // what was typed elsewhere meanwhile
  }
  sayKept();
  setTimeout(goOn); // once the request that waits has begun
});

// A button of the whole page comes after what is under way, which would otherwise be kept over it.
form.addEventListener("submit", (event) => {
  leaving = underWay === 0;
  if (leaving) return;
  event.preventDefault();
  next = event.submitter;
});

function goOn() {
  if (underWay || !next) return;
  const button = next;
  next = null;
  form.requestSubmit(button);
}

addEventListener("pagehide", () => {
  if (leaving || kept === edits) return;
  const body = new FormData(form);
  body.set("go", "keep");
  navigator.sendBeacon(form.action, body);
});

// A change in place that failed is sent again as a whole page, which says what is wrong.
for (const name of ["htmx:response:error", "htmx:error"]) {
  document.addEventListener(name, (event) => {
    const { ctx } = event.detail;
    if (ctx?.sourceElement.form !== form) return;
    form.requestSubmit(ctx.sourceElement);
  });
}

// While a new list is on its way nobody can tick or type in the old one: it would go with it.
let stood = "";

function isReplacing() {
  return byId("_picker").inert;
}

function awaitReplacement() {
  const place = document.activeElement;
  stood = byId("_picker").contains(place) ? place.id || "picked-count" : "";
  byId("_picker").inert = true;
}

// The part that changed is new: whoever stood on something in it stands on the same again, or on its beginning.
document.addEventListener("htmx:after:swap", (event) => {
  if (event.detail.ctx.sourceElement === form) return;
  last = null;
  count();
  if (stood && document.activeElement === document.body) (byId(stood) ?? byId("picked-count")).focus({ preventScroll: true });
});
count();
