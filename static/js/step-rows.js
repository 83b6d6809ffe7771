// j and k move the focus to the next row and back.

const rows = [...document.querySelectorAll(".row")];

document.addEventListener("keydown", (event) => {
  const step = { j: 1, k: -1 }[event.key];
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (!step || typing || event.ctrlKey || event.metaKey || event.altKey || !rows.length) return;
  const here = rows.indexOf(document.activeElement.closest(".row"));
  const next = here < 0 && step < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, here + step));
  rows[next].focus({ preventScroll: true });
  rows[next].scrollIntoView({ block: "start" });
});
