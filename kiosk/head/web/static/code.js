// Page for a one-time code: fills in the code after # in the address (from a QR code). Browsers do not send that part.
"use strict";
(() => {
  const code = decodeURIComponent(location.hash.slice(1));
  const box = document.querySelector("input[name=code]");
  if (!code || !box) return;
  box.value = code;
  history.replaceState(null, "", location.pathname);
})();
