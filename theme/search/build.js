// Makes the index that `theme/static/search/find.js` reads, in V8, when the book is made.
// Entries: {page, kind, anchor, title, up, text, names, also}, those of a page together; pages: [[path, weight]].
courseSearch.build = (() => {
  "use strict";
  const { NAME, stems, digits, slug } = courseSearch;
  const LEVELS = [1, 2, 4]; // from so many occurrences on
  const SHARD = 5000; // characters of text in a file

  /** For each stem, in the order of the alphabet: which entries have it, and how often. */
  function postings(entries) {
    const of = new Map();
    entries.forEach(({ text, names }, place) => {
      const counts = new Map();
      for (const word of stems(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
      const here = new Map([...counts].map(([word, n]) => [word, LEVELS.findLastIndex((least) => n >= least)]));
      for (const word of stems(names)) if (!here.has(word)) here.set(word, NAME);
      for (const [word, level] of here) {
        if (/^\d+[.,]/.test(word) || (/^\d/.test(word) && word.length > 4)) continue; // results, not words
        if (!of.has(word)) of.set(word, []);
        of.get(word).push([place, level]);
      }
    });
    return [...of].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** How many different words each entry has: a longer one says less by each of them. */
  function sizes(found, count) {
    const total = new Array(count).fill(0);
    for (const [, places] of found) for (const [place, level] of places) total[place] += level === NAME ? 0.3 : 1;
    return total.map((n) => digits(Math.round(n))).join("");
  }

  /** The stems, each as the number of letters that it shares with the one before and its others; and their postings. */
  function stored(found) {
    let before = "";
    const words = [], lists = [];
    for (const [word, places] of found) {
      let common = 0;
      while (common < 9 && common < word.length && word[common] === before[common]) common += 1;
      words.push(common + word.slice(common));
      before = word;
      let last = -1;
      lists.push(places.map(([place, level]) => {
        const step = (place - last - 1) * 4 + level;
        last = place;
        return digits(step);
      }).join(""));
    }
    return { words: words.join(" "), lists: lists.join(" ") };
  }

  /** The texts, a few entries in each shard, and the first entry of each. */
  function sharded(entries) {
    const shards = [[]], starts = [0];
    let size = 0;
    entries.forEach(({ text }, place) => {
      if (size > 0 && size + text.length > SHARD) {
        shards.push([]);
        starts.push(place);
        size = 0;
      }
      shards.at(-1).push(text);
      size += text.length;
    });
    return { shards, starts };
  }

  return (pages, entries) => {
    const { shards, starts } = sharded(entries);
    const rows = entries.map(({ page, kind, anchor, title, up, also }) =>
      [page, kind, anchor === slug(title) ? "" : "#" + anchor, title, up, also].join("\t").replace(/\t+$/, ""));
    const found = postings(entries);
    return { index: { pages, rows: rows.join("\n"), ...stored(found), sizes: sizes(found, entries.length), starts }, shards };
  };
})();
