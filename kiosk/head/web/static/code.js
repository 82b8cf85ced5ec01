// The page for a one-time code: a code behind # in the address (from a QR picture) is filled in; it never leaves here.
"use strict";
(() => {
  const code = decodeURIComponent(location.hash.slice(1));
  const box = document.querySelector("input[name=code]");
  if (!code || !box) return;
  box.value = code;
  history.replaceState(null, "", location.pathname);
})();
