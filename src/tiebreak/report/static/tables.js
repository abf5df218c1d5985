/* Tables: sorted by a header's button, filtered by a field, copied as JSON. */

const collator = new Intl.Collator("en", { numeric: true });

/* Numbers by size, also those that text starts with, then text in natural order; what is missing
   comes last either way. */
function compareValues(p, q, down) {
  const empty = (v) => v === null || v === undefined || v === "–" || v === "";
  if (empty(p) || empty(q)) return empty(p) - empty(q);
  const [x, y] = [leadingNumber(p), leadingNumber(q)];
  const order = Number.isNaN(x) || Number.isNaN(y)
    ? Number.isNaN(x) - Number.isNaN(y)
    : x === y ? 0 : x - y;
  const said = order || collator.compare(String(p), String(q));
  return down ? -said : said;
}

function leadingNumber(value) {
  if (typeof value === "number") return value;
  const found = /^[+−-]?[0-9][0-9,]*(\.[0-9]+)?(e-?[0-9]+)?/.exec(value);
  return found ? Number(found[0].replace("−", "-").replaceAll(",", "")) : NaN;
}

function cellValue(td) {
  if (!("value" in td.dataset)) return td.textContent;
  const value = JSON.parse(td.dataset.value);
  return value === null && td.textContent === "∞" ? Infinity : value;
}

function markSorted(headers, th) {
  const down = th.getAttribute("aria-sort") === "ascending"
    || (!th.hasAttribute("aria-sort") && th.classList.contains("number"));
  for (const other of headers) other.removeAttribute("aria-sort");
  th.setAttribute("aria-sort", down ? "descending" : "ascending");
  return down;
}

function sortRows(table, th) {
  const headers = [...table.tHead.rows[0].cells];
  const [column, down] = [headers.indexOf(th), markSorted(headers, th)];
  const body = table.tBodies[0];
  const keyed = [...body.rows].map((row) => [cellValue(row.cells[column]), row]);
  keyed.sort(([p], [q]) => compareValues(p, q, down));
  body.append(...keyed.map(([, row]) => row));
}

function filterRows(box, words) {
  const rows = [...box.querySelector("table").tBodies[0].rows];
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !wanted.every((word) => text.includes(word));
  }
  const shown = rows.filter((row) => !row.hidden).length;
  box.querySelector(".count").textContent =
    shown === rows.length ? "" : `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows`;
}

/* Rows as JSON objects, as they stand in the page: in its order, without those filtered out. */
function tableJson(box) {
  const table = box.querySelector("table");
  const keys = [...table.tHead.rows[0].cells].map((th) => th.dataset.key);
  return [...table.tBodies[0].rows].filter((row) => !row.hidden).map((row) =>
    Object.fromEntries(keys.map((key, c) => {
      const value = cellValue(row.cells[c]);
      return [key, value === Infinity ? null : value];
    })));
}

function setUpTables() {
  for (const box of document.querySelectorAll(".table[id^='table-']")) {
    const table = box.querySelector("table");
    for (const button of table.tHead.querySelectorAll("button")) {
      button.addEventListener("click", () => sortRows(table, button.parentElement));
    }
    const field = box.querySelector("input[type=search]");
    if (field) field.addEventListener("input", () => filterRows(box, field.value));
  }
}
