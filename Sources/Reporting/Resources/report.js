"use strict";
(() => {
  const table = document.querySelector("table.feeds");
  const form = document.querySelector("form.filter");
  if (!table || !form) return;
  const body = table.tBodies[0];
  const headers = [...table.tHead.rows[0].cells];
  const count = document.getElementById("shown");
  const everything = count.textContent;
  const text = form.elements.namedItem("text");
  const state = form.elements.namedItem("state");
  // Read once and not before it is needed: the document is slow to ask.
  let read = null;
  const rows = () => read ??= [...body.rows].map((row, place) => ({
    row, place, words: `${row.cells[0].textContent} ${row.cells[1].textContent}`.toLowerCase(),
    state: row.cells[2].textContent, keys: [],
  }));
  let sorted = null;

  const key = (entry, column) => {
    if (!(column in entry.keys)) {
      const cell = entry.row.cells[column];
      const text = cell.textContent.trim();
      const number = {
        value: () => Number(cell.dataset.v || NaN),
        date: () => Date.parse(text),
        text: () => parseFloat(text.replaceAll(",", "").replace("\u2212", "-")),
      }[headers[column].dataset.n];
      const value = number ? number() : text.toLowerCase() || null;
      entry.keys[column] = Number.isNaN(value) ? null : value;
    }
    return entry.keys[column];
  };

  const filter = () => {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const entry of rows()) {
      const fits = entry.state.startsWith(state.value)
        && words.every((word) => entry.words.includes(word));
      if (entry.row.hidden === fits) entry.row.hidden = !fits;
      if (fits) shown += 1;
    }
    // A page may leave out feeds: then it has fewer rows.
    const number = (count) => count.toLocaleString("en");
    count.textContent = state.value || words.length
      ? `${number(shown)} of ${number(rows().length)} rows` : everything;
  };

  const sort = (column, descending) => {
    const sign = descending ? -1 : 1;
    // Absent values are last in both directions; equal ones keep their order.
    const order = [...rows()].sort((left, right) => {
      const a = key(left, column), b = key(right, column);
      if (a === null || b === null) return (a === null) - (b === null) || left.place - right.place;
      return (a < b ? -sign : a > b ? sign : 0) || left.place - right.place;
    });
    body.append(...order.map((entry) => entry.row));
    headers.forEach((header, index) => {
      if (index === column) header.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else header.removeAttribute("aria-sort");
    });
    sorted = { column, descending };
  };

  // In the fragment, which a file has too and no server sees.
  const remember = () => {
    const words = new URLSearchParams();
    if (text.value) words.set("text", text.value);
    if (state.value) words.set("state", state.value);
    if (sorted) words.set("sort", (sorted.descending ? "-" : "") + sorted.column);
    const query = words.toString();
    history.replaceState(null, "", query ? "#?" + query : location.pathname + location.search);
  };

  const recall = () => {
    const words = new URLSearchParams(location.hash.slice(2));
    text.value = words.get("text") || "";
    state.value = words.get("state") || "";
    const column = words.get("sort");
    const index = Math.abs(Number(column));
    if (column && headers[index]) sort(index, column.startsWith("-"));
  };

  headers.forEach((header, index) => {
    if (header.dataset.n === "none") return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const isNumber = header.dataset.n !== undefined;
      const same = sorted !== null && sorted.column === index;
      sort(index, same ? !sorted.descending : isNumber);
      remember();
    });
  });
  let wait;
  form.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(() => { filter(); remember(); }, 120);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("details")) part.open = true;
  });
  form.hidden = false;
  if (location.hash.startsWith("#?")) {
    recall();
    filter();
  }
})();
