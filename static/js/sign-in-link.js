// Presses the button of a one-time link for a person who is looking; without script they press it themselves.
function submitWhenSeen() {
  if (document.visibilityState !== "visible") return;
  document.removeEventListener("visibilitychange", submitWhenSeen);
  document.getElementById("sign-in-link").requestSubmit();
}

document.addEventListener("visibilitychange", submitWhenSeen);
submitWhenSeen();
