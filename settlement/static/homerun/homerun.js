/* Small conveniences; every page works without them. What they act on is named in data attributes.

   data-close=".toast-line"        a button: removes the nearest element of that kind
   data-copy="#text"               a button: copies that element's text, and says so on itself (data-copied="Copied")
   data-print                      a button: prints the page
   data-seconds="30"               a form in a toast: counts down beside its button, then the toast goes
   details.menu                    closes on Escape and when something else is pressed
   select/input[data-submit]       sends its form when changed
   select[data-time-zone]          begins with the zone of this device
   [data-tag]                      a part that asks for itself again (htmx): with the tag of what it has, and not while
                                   the page is hidden; a fold that was open stays open */

(() => {
  "use strict";
  document.documentElement.classList.add("has-script");

  const closeMenus = (except) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (menu !== except) menu.open = false;
  };

  const copy = async (button) => {
    const source = document.querySelector(button.dataset.copy);
    if (!source) return;
    const text = "value" in source ? source.value : source.textContent;
    try {
      await navigator.clipboard.writeText(text.trim());
    } catch {
      const selection = getSelection();
      selection.selectAllChildren(source);
      document.execCommand("copy");
      selection.removeAllRanges();
    }
    const label = button.querySelector("span") || button;
    const before = label.textContent;
    label.textContent = button.dataset.copied || before;
    setTimeout(() => { label.textContent = before; }, 2000);
  };

  for (const form of document.querySelectorAll("form[data-seconds]")) {
    const end = Date.now() + 1000 * form.dataset.seconds;
    const timer = setInterval(() => {
      const left = Math.ceil((end - Date.now()) / 1000);
      form.querySelector(".toast-seconds").textContent = Math.max(0, left);
      if (left > 0) return;
      clearInterval(timer);
      form.closest(".toast-line")?.remove();
    }, 500);
  }

  document.addEventListener("click", (event) => {
    closeMenus(event.target.closest("details.menu"));
    const button = event.target.closest("[data-close], [data-copy], [data-print]");
    if (!button) return;
    if ("close" in button.dataset) button.closest(button.dataset.close)?.remove();
    else if ("copy" in button.dataset) copy(button);
    else window.print();
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const menu = document.querySelector("details.menu[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });

  document.addEventListener("htmx:configRequest", (event) => {
    const tag = event.detail.elt.dataset.tag;
    if (!tag) return;
    if (document.hidden) event.preventDefault();
    event.detail.headers["If-None-Match"] = `"${tag}"`;
  });

  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const zone of document.querySelectorAll("select[data-time-zone]")) {
    const isThere = [...zone.options].some((option) => option.value === here);
    if (isThere && zone.value === "UTC") zone.value = here;
  }

  const openFolds = new Set();
  document.addEventListener("toggle", (event) => {
    if (event.target.matches("details[id]")) openFolds[event.target.open ? "add" : "delete"](event.target.id);
  }, true);
  document.addEventListener("htmx:load", (event) => {
    for (const fold of event.detail.elt.querySelectorAll("details[id]")) fold.open ||= openFolds.has(fold.id);
  });

  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-submit]")) event.target.form?.requestSubmit();
  });
})();
