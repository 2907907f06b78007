"use strict";
(() => {
  const table = document.getElementById("ranked");
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const key = (row, column, numeric) => {
    const cell = row.cells[column];
    if (!numeric) return cell.textContent.trim().toLowerCase();
    return cell.dataset.v === "" ? null : Number(cell.dataset.v);
  };
  const sort = (column) => {
    const numeric = heads[column].classList.contains("n");
    const before = heads[column].getAttribute("aria-sort");
    const first = numeric && column > 0 ? "descending" : "ascending";
    const other = first === "descending" ? "ascending" : "descending";
    const order = before === first ? other : first;
    const sign = order === "ascending" ? 1 : -1;
    const rows = [...body.rows].map((row) => [key(row, column, numeric), row]);
    rows.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * (a < b ? -1 : a > b ? 1 : 0);
    });
    for (const head of heads) head.removeAttribute("aria-sort");
    heads[column].setAttribute("aria-sort", order);
    body.append(...rows.map(([, row]) => row));
  };
  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => sort(column)));
  const open = () => {
    const target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
    if (target instanceof HTMLDetailsElement) target.open = true;
  };
  addEventListener("hashchange", open);
  open();
})();
