"use strict";
(() => {
  const hint = document.getElementById("hint");
  const parts = [...document.querySelectorAll("[data-h]")];
  const ids = (element) => element.dataset.h.split(" ");
  const shared = (element, wanted) => ids(element).some((id) => wanted.includes(id));
  const label = (id) => document.getElementById(id)?.getAttribute("aria-label")?.split(":")[0];
  const light = (wanted) => {
    for (const row of document.querySelectorAll("tr.lit")) row.classList.remove("lit");
    for (const part of parts) {
      const lit = shared(part, wanted);
      part.classList.toggle("lit", lit);
      if (lit) part.closest("tr[data-field]")?.classList.add("lit");
    }
    const fields = [...new Set(wanted.map(label).filter(Boolean))];
    hint.textContent = fields.length ? `Supports: ${fields.join(", ")}` : "";
  };
  const marked = () => {
    const target = location.hash.slice(1);
    return /^s\d+$/.test(target) ? [target] : [];
  };
  const at = (event) => event.target.closest?.("[data-h]");
  for (const kind of ["mouseover", "focusin"]) {
    document.addEventListener(kind, (event) => {
      const part = at(event);
      light(part ? ids(part) : marked());
    });
  }
  const arrive = () => {
    const target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
    // a link of the text has the focus of the keyboard, so that the next Tab goes on from there
    if (target && (target.matches("a[data-h]") || target.tabIndex === -1)) target.focus({ preventScroll: true });
    light(marked());
  };
  document.addEventListener("click", (event) => {
    const part = at(event);
    if (!part || part.tagName !== "MARK" || !getSelection().isCollapsed) return;
    const tag = document.getElementById(ids(part)[0]);
    if (tag) location.hash = tag.getAttribute("href");
  });
  addEventListener("hashchange", arrive);
  arrive();
})();
