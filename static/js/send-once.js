// A form that must not be sent twice: its buttons wait for the answer. The server makes sure of it without this, too.

for (const form of document.querySelectorAll("form[data-send-once]")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
    event.submitter?.setAttribute("aria-disabled", "true");
  });
}

// Back from the next page finds the form as it was, ready to be sent.
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});
