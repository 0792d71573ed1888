// On every page: fetches the search when its dialog opens or the first key is typed, by script elements alone, so that it
// works from a file system too.
(() => {
  "use strict";
  const folder = new URL(".", document.currentScript.src);
  const FIELD = "form.bd-search input";

  /** Adds a file of the search to the page. */
  const add = (name) => new Promise((done, failed) => {
    const script = document.createElement("script");
    script.async = false; // in the order in which they are asked for
    script.src = new URL(`${name}.js`, folder);
    script.addEventListener("load", done);
    script.addEventListener("error", failed);
    document.head.append(script);
  });

  let begun;
  const begin = () => {
    begun ??= Promise.all(["words", "find", "show", "index"].map(add)).then(
      () => globalThis.courseSearch.show(folder, add),
      () => {
        for (const said of document.querySelectorAll(".search-said")) said.textContent = "The search’s files are not there.";
      },
    );
  };

  document.addEventListener("focusin", ({ target }) => { if (target.matches(`dialog ${FIELD}`)) begin(); });
  document.addEventListener("input", ({ target }) => { if (target.matches(FIELD)) begin(); });
  const asked = new URLSearchParams(location.search).get("q");
  if (asked && document.querySelector(".search-page")) begin();
})();
