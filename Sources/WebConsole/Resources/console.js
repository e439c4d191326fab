"use strict";
(() => {
  const local = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
  for (const time of document.querySelectorAll("time")) {
    time.textContent = local.format(new Date(time.dateTime));
  }
  for (const note of document.querySelectorAll(".zone")) {
    note.textContent = `Times are local (${local.resolvedOptions().timeZone}). Point at one for the exact time in UTC.`;
  }
  for (const name of document.querySelectorAll("[data-copied]")) {
    const button = document.createElement("button");
    const say = (word, rest) => {
      button.textContent = word;
      button.setAttribute("aria-label", `${word} ${rest}`);
    };
    button.type = "button";
    button.className = "copy";
    say("Copy", `the record name ${name.textContent}`);
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(name.textContent);
        say("Copied", `the record name ${name.textContent}`);
      } catch {
        // A browser may forbid it. What is selected can be copied by hand.
        getSelection().selectAllChildren(name);
        say("Selected", "the record name. Copy it with the keyboard");
      }
    });
    name.after(button);
  }
  const keys = new Map([...document.querySelectorAll("[data-key]")].map((item) => [item.dataset.key, item]));
  addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea, select");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const item = keys.get(event.key);
    if (!item) return;
    event.preventDefault();
    item.click();
  });
  const shown = document.querySelector(".queue [aria-current=true]");
  const list = shown?.closest("ol");
  if (list) list.scrollTop = shown.offsetTop - list.offsetTop - list.clientHeight / 3;
})();
