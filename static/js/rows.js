// Adds a row to a judge's dimensions without asking the server.

const rows = document.getElementById("dimension-rows");
const button = document.getElementById("add-row");

button?.addEventListener("click", (event) => {
  event.preventDefault();
  const row = rows.lastElementChild.cloneNode(true);
  for (const field of row.querySelectorAll("input, textarea")) {
    field.value = "";
    field.removeAttribute("autofocus");
  }
  rows.append(row);
  row.querySelector("input").focus();
  button.hidden = rows.childElementCount >= Number(rows.dataset.most);
});
