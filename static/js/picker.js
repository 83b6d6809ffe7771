// The new benchmark's form with script: the count follows each tick, Shift ticks a range, Enter sends nothing by itself.

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

// A change in place that failed is sent again as a whole page, which says what is wrong.
for (const name of ["htmx:response:error", "htmx:error"]) {
  document.addEventListener(name, (event) => {
    const button = event.target.closest?.("button[name=go]");
    if (button && form.contains(button)) form.requestSubmit(button);
  });
}

// The part that changed is new: whoever stood on something in it stands on the same again, or on its beginning.
let stood = "";
document.addEventListener("htmx:before:swap", () => {
  const place = document.activeElement;
  stood = byId("_picker").contains(place) ? place.id || "picked-count" : "";
});
document.addEventListener("htmx:after:swap", () => {
  last = null;
  count();
  if (stood) (byId(stood) ?? byId("picked-count")).focus({ preventScroll: true });
});
count();
