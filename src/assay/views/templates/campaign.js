"use strict";
(() => {
  const PAGE = 100;
  const data = JSON.parse(document.getElementById("trials-data").textContent);
  const texts = data.texts;
  const get = (id) => document.getElementById(id);
  const table = get("ranked");
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const T = 2; // place of t among the figures
  const FIRST = 5; // column of the first figure
  const rows = data.rows.map((row, order) => {
    const [id, mechanism, kind, parent, formula, outcome, reason, figures, idea, hypothesis, description, detail] = row;
    const found = {
      id, parent, formula, figures, detail, order,
      mechanism: texts[mechanism], kind: texts[kind], outcome: texts[outcome], reason: texts[reason],
      idea: texts[idea], hypothesis: texts[hypothesis], description: texts[description],
    };
    found.text = [id, parent, formula, found.reason, found.idea, found.mechanism].join("\n").toLowerCase();
    return found;
  });
  const keys = [
    (row) => row.order,
    (row) => row.mechanism,
    (row) => row.parent || row.kind,
    (row) => row.formula,
    (row) => Object.keys(data.outcomes).indexOf(row.outcome) + row.reason,
    ...data.digits.map((_, place) => (row) => {
      const value = row.figures[place];
      return value !== null && place === T ? Math.abs(value) : value;
    }),
  ];
  let column = FIRST + T;
  let down = true;
  let page = 0;
  let matching = [];
  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  // what stands between two backticks is code; split() puts it at the odd places
  const withCode = (text) => text.split(/`([^`\n]+)`/).map((piece, place) =>
    place % 2 ? make("code", { textContent: piece }) : piece);
  const particulars = (row) => {
    const list = make("dl", {});
    const parts = [["idea", row.idea], ["why it should work", row.hypothesis], ["what it computes", row.description],
      ["built on", row.parent], ["how it ended", row.detail]];
    for (const [label, text] of parts) {
      if (text) list.append(make("dt", { textContent: label }), make("dd", {}, ...withCode(text)));
    }
    const cell = make("td", { colSpan: heads.length }, list);
    return make("tr", { className: "particulars" }, cell);
  };
  const line = (row) => {
    const open = make("button", { type: "button", textContent: row.id });
    open.setAttribute("aria-expanded", "false");
    const tone = data.tones[row.outcome] ?? "";
    const made = make("tr", {},
      make("td", { className: "key" }, open),
      make("td", { textContent: row.mechanism }),
      make("td", { className: "key", textContent: row.parent || row.kind }),
      make("td", { className: "formula", textContent: row.formula }),
      make("td", {}, make("span", { className: `tag ${tone}`, textContent: data.outcomes[row.outcome] }), " ",
        make("small", { textContent: row.reason })),
      ...row.figures.map((value, place) => make("td", {
        className: "n", textContent: value === null ? "\u2013" : value.toFixed(data.digits[place]),
      })));
    open.addEventListener("click", () => {
      const shut = open.getAttribute("aria-expanded") === "false";
      open.setAttribute("aria-expanded", String(shut));
      if (shut) made.after(particulars(row));
      else made.nextElementSibling.remove();
    });
    return made;
  };
  const draw = () => {
    const last = Math.max(0, Math.ceil(matching.length / PAGE) - 1);
    page = Math.min(page, last);
    const shown = matching.slice(page * PAGE, (page + 1) * PAGE);
    body.replaceChildren(...shown.map(line));
    const all = rows.length.toLocaleString("en");
    get("shown").textContent = matching.length === rows.length ? `${all} slots` : `${matching.length.toLocaleString("en")} of ${all} slots`;
    get("place").textContent = matching.length ? `${page * PAGE + 1} to ${page * PAGE + shown.length}` : "none";
    get("before").disabled = page === 0;
    get("after").disabled = page === last;
    get("before").parentElement.hidden = last === 0;
  };
  const sort = () => {
    const sign = down ? -1 : 1;
    const keyed = matching.map((row) => [keys[column](row), row]);
    keyed.sort(([a, one], [b, other]) => {
      if (a === null || b === null) return (a === null) - (b === null) || one.order - other.order;
      return sign * (a < b ? -1 : a > b ? 1 : 0) || one.order - other.order;
    });
    matching = keyed.map(([, row]) => row);
    for (const head of heads) head.removeAttribute("aria-sort");
    heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
  };
  const filter = () => {
    const words = get("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const outcome = get("outcome").value;
    const mechanism = get("mechanism").value;
    const least = Number(get("least").value) || 0;
    matching = rows.filter((row) =>
      (!outcome || row.outcome === outcome) &&
      (!mechanism || row.mechanism === mechanism) &&
      (!least || (row.figures[T] !== null && Math.abs(row.figures[T]) >= least)) &&
      words.every((word) => row.text.includes(word)));
    page = 0;
    sort();
    draw();
  };
  heads.forEach((head, place) => head.querySelector("button").addEventListener("click", () => {
    down = place === column ? !down : place >= FIRST;
    column = place;
    page = 0;
    sort();
    draw();
  }));
  const form = document.querySelector(".filters");
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  get("before").addEventListener("click", () => { page -= 1; draw(); });
  get("after").addEventListener("click", () => { page += 1; draw(); });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("[data-find]");
    if (!link) return;
    form.reset();
    get("find").value = link.dataset.find;
    // after the form's own reset has drawn the table
    setTimeout(() => {
      filter();
      body.querySelector("button")?.click();
    });
  });
  const open = () => {
    const target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
    if (target instanceof HTMLDetailsElement) target.open = true;
  };
  addEventListener("hashchange", open);
  addEventListener("beforeprint", () => {
    for (const factor of document.querySelectorAll("details.factor")) factor.open = true;
  });
  document.documentElement.classList.add("scripted");
  open();
  filter();
})();
