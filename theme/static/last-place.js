// On the home page and on chapters: where the reader was last time, kept in this browser alone. Without a store (or a
// script) nothing is shown and nothing is missing.
(() => {
  "use strict";
  const KEY = "attention-from-scratch-place";
  const root = document.documentElement.dataset.content_root || "./";
  const here = new URL(location.href).pathname.split("/").slice(-2).join("/");
  const article = document.querySelector("article.bd-article");
  const isChapter = here.startsWith("notebooks/");

  /** What is kept: a page, a place on it and its heading; null where there is nothing, or nothing that can be read. */
  const read = () => {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY));
      const whole = kept && /^notebooks\/\d\d-[\w-]+\.html$/.test(kept.page) && /^[\w-]+$/.test(kept.id);
      return whole && typeof kept.title === "string" ? kept : null;
    } catch { return null; }
  };
  const write = (value) => {
    try {
      if (value) localStorage.setItem(KEY, JSON.stringify(value)); else localStorage.removeItem(KEY);
    } catch { /* a browser that keeps nothing */ }
  };

  /** The line above the page: a link to the place, and a button that forgets it. */
  const show = ({ page, id, title }) => {
    const line = document.createElement("p");
    line.className = "last-place";
    const link = Object.assign(document.createElement("a"), { href: `${root}${page}#${id}`, textContent: title });
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Forget it" });
    button.addEventListener("click", () => { write(null); line.remove(); });
    line.append("You were at ", link, " last time. ", button);
    article.prepend(line);
  };

  /** The last section of the chapter whose heading has gone past the upper third of the window. */
  const current = () => [...article.querySelectorAll("section > h2")]
    .filter((heading) => heading.getBoundingClientRect().top < innerHeight / 3).at(-1);

  if (!article) return;
  const kept = read();
  if (kept && !location.hash && (!isChapter || kept.page === here)) show(kept);
  if (!isChapter) return;
  let waiting;
  addEventListener("scroll", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const heading = current();
      if (!heading) return;
      const title = heading.cloneNode(true);
      for (const left of title.querySelectorAll(".headerlink, .katex-html, annotation")) left.remove();
      write({ page: here, id: heading.parentElement.id, title: title.textContent.trim() });
    }, 500);
  }, { passive: true });
})();
