// Shows what find.js finds, while it is typed: in the dialog as a listbox that the field's arrow keys walk through, on the
// search page as a list of links. Texts are put in as texts, never as markup.
courseSearch.show = (() => {
  "use strict";
  const { open, words, stem } = courseSearch;
  const IN_DIALOG = 8, ON_PAGE = 30, LONGEST = 300; // results, results, characters of a query
  const AROUND = 90, SNIPPET = 210; // characters of a text before the first word that was found, and in all
  const PAUSE = 500; // milliseconds without a key, after which the results' texts are fetched

  const files = new Map();
  courseSearch.loaded = (name, value) => files.set(name, value);

  function element(name, className, ...children) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...children);
    return made;
  }

  /** A text with the words that were found marked. */
  function marked(text, found) {
    const parts = [];
    let end = 0;
    for (const word of words(text)) {
      if (found.has(word.whole) || word.parts.some((part) => found.has(part))) {
        parts.push(text.slice(end, word.at), element("mark", "", text.slice(word.at, word.end)));
        end = word.end;
      }
    }
    return [...parts, text.slice(end)];
  }

  /** The piece of a text that has most of the words that were found. */
  function piece(text, found) {
    const hits = [...words(text)].filter((word) => found.has(word.whole) || word.parts.some((part) => found.has(part)));
    let [best, most] = [0, 0];
    for (const hit of hits) {
      const near = new Set(hits.filter(({ at }) => at >= hit.at && at < hit.at + SNIPPET - AROUND).map(({ whole }) => whole));
      if (near.size > most) [best, most] = [hit.at, near.size];
    }
    const from = best < AROUND ? 0 : text.indexOf(" ", best - AROUND) + 1;
    const to = from + SNIPPET >= text.length ? text.length : text.lastIndexOf(" ", from + SNIPPET);
    return (from ? "… " : "") + text.slice(from, to > from ? to : from + SNIPPET) + (to < text.length ? " …" : "");
  }

  /** What the number of results is called, or why there is none. */
  function said(query, terms, count) {
    if (!query.trim()) return "Type a word or a question.";
    if (!terms.length) return "There is no word in that. Type one, or a question.";
    const words = query.length > LONGEST ? ` for the first ${LONGEST} characters` : "";
    if (count) return `${count} result${count === 1 ? "" : "s"}${words}`;
    return `Nothing answers that${words}. Try fewer or other words; the glossary and the contents list what there is.`;
  }

  return (folder, add) => {
    const find = open(files.get("index")), starts = files.get("index").starts, root = new URL("../../", folder);

    let waiting = [], pause;

    /** Gives the results that wait for their texts what is there, and fetches the rest once no more is typed. */
    function fill() {
      for (const name of new Set(waiting.map(({ name }) => name))) {
        if (!files.has(name)) add(name).then(put, () => {});
      }
      put();
    }

    function put() {
      waiting = waiting.filter(({ name, line, quoted, found }) => {
        const whole = files.get(name)?.[line];
        if (whole) quoted.append(...marked(piece(whole, found), found));
        return whole === undefined;
      });
    }

    /** Begins a new list of results. */
    function begin() {
      waiting = [];
      clearTimeout(pause);
      pause = setTimeout(fill, PAUSE);
    }

    /** One result: what it is called and where it stands at once, its text as soon as that has come. */
    function shown({ entry, place }, found) {
      const quoted = element("span", "search-text");
      const link = element("a", "search-result",
        element("span", "search-kind", entry.said), " ", element("span", "search-title", ...marked(entry.title, found)), " ",
        element("span", "search-above", entry.above.join(" › ")), " ", quoted);
      link.href = new URL(entry.url, root);
      const shard = starts.findLastIndex((start) => start <= place);
      waiting.push({ name: `text-${shard}`, line: place - starts[shard], quoted, found });
      return link;
    }

    /** The best results of a query, and the sentence on their number. */
    function answer(query) {
      begin();
      const { results, found, terms } = find(query.slice(0, LONGEST));
      const good = results.filter(({ score }) => score > 0.12 * results[0].score).slice(0, 50);
      return { good, found: new Set([...found, ...terms.map(({ word }) => stem(word))]), sentence: said(query, terms, good.length) };
    }

    const dialog = document.querySelector("dialog#pst-search-dialog");
    if (dialog) inDialog(dialog, answer, shown);
    const page = document.querySelector(".search-page");
    if (page) onPage(page, answer, shown);
  };

  /** Results on the search page: links in a list, and the query in the address. */
  function onPage(page, answer, shown) {
    const field = page.querySelector("input"), [status, list] = [page.querySelector(".search-said"), page.querySelector(".search-list")];
    const render = () => {
      const { good, found, sentence } = answer(field.value);
      status.textContent = sentence;
      list.replaceChildren(...good.slice(0, ON_PAGE).map((result) => element("li", "", shown(result, found))));
    };
    const asked = new URLSearchParams(location.search).get("q");
    if (!field.value && asked) field.value = asked;
    field.addEventListener("input", () => {
      const address = new URL(location.href);
      address.searchParams.set("q", field.value);
      try { history.replaceState(null, "", address); } catch { /* a page from a file system may not */ }
      render();
    });
    field.form.addEventListener("submit", (event) => { event.preventDefault(); render(); });
    render();
  }

  /** Results in the dialog: the field keeps the focus, and its arrow keys choose among them (WAI-ARIA's combobox). */
  function inDialog(dialog, answer, shown) {
    const field = dialog.querySelector("input"), status = dialog.querySelector(".search-said"), list = dialog.querySelector(".search-list");
    let chosen = -1;
    const states = { role: "combobox", "aria-autocomplete": "list", "aria-haspopup": "listbox", "aria-controls": list.id, "aria-expanded": "false" };
    for (const [name, value] of Object.entries(states)) field.setAttribute(name, value);

    const choose = (place) => {
      const options = [...list.children];
      chosen = options.length ? (place + options.length) % options.length : -1;
      options.forEach((option, i) => option.setAttribute("aria-selected", String(i === chosen)));
      field.setAttribute("aria-activedescendant", options[chosen].id);
      options[chosen].scrollIntoView({ block: "nearest" });
    };
    const render = () => {
      const { good, found, sentence } = answer(field.value);
      const options = good.slice(0, IN_DIALOG).map((result, i) => {
        const link = shown(result, found);
        for (const [name, value] of Object.entries({ role: "option", id: `search-result-${i}`, tabindex: "-1", "aria-selected": "false" })) link.setAttribute(name, value);
        return link;
      });
      list.replaceChildren(...options);
      list.hidden = !options.length;
      chosen = -1;
      field.removeAttribute("aria-activedescendant");
      field.setAttribute("aria-expanded", String(options.length > 0));
      status.textContent = sentence + (good.length ? `${good.length > IN_DIALOG ? `, the best ${IN_DIALOG} here` : ""}: arrow keys choose, Enter shows all` : "");
    };
    field.addEventListener("input", render);
    field.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && list.children.length) choose(chosen < 0 && step < 0 ? -1 : chosen + step);
      else if (event.key === "Enter" && chosen >= 0) list.children[chosen].click();
      else if (event.key === "Escape") dialog.close();
      else return;
      event.preventDefault();
    });
    list.addEventListener("click", () => dialog.close());
    render();
  }
})();
