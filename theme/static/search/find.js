// What a query finds: sections, exercises, terms and messages, best first. It knows no page; dialog.js shows what it gives.
courseSearch.open = (() => {
  "use strict";
  const { STOP, NAME, stem, stems, words, numbers, slug } = courseSearch;

  // What readers write for what the book says: every word of it is meant ...
  const SHORT = new Map(Object.entries({
    kv: "key value", bf16: "bfloat16", fp16: "float16", fp32: "float32", cls: "class token", fig: "figure", sec: "section", ex: "exercise",
    ch: "chapter", lr: "learning rate", mha: "multi head attention", sdpa: "scaled dot product attention", ffn: "feed forward network",
    oom: "out memory", amp: "mixed precision", lm: "language model", sqrt: "root",
  }));
  // ... or one of these words as well.
  const LIKE = new Map(Object.entries({
    quadratic: "squared", mismatch: "disagree", image: "picture", picture: "image photo", photo: "picture", install: "setup",
    inverted: "opposite", plagiarism: "copied", freeze: "frozen", formula: "equation", multi: "several", multiple: "several more",
    several: "more", submit: "hand", prune: "ablation switch", dimension: "axis", forgot: "stale forget",
    save: "kept keep", vanish: "fade", skip: "without",
    dispute: "disagree appeal", windows: "system", error: "raise", vit: "vision transformer",
  }).map(([word, others]) => [stem(word), others.split(" ").map(stem)]));
  const KINDS = {
    c: ["Chapter", 1], p: ["Page", 0.9], s: ["Section", 1], e: ["Exercise", 1], q: ["Question", 0.8], f: ["Figure", 0.7],
    t: ["Glossary", 0.95], m: ["Message of a check", 0.45], o: ["Solution", 0.9],
  };
  const IN = { title: 5, also: 4, above: 0.8, kind: 1 }; // how much a word counts that stands there and not in the text
  const TIMES = [1, 1.7, 2.4, 0.5]; // by what is stored of the text, see words.js
  const LAST = "Before you go on"; // sums a chapter up
  const MOST = 40; // beginnings and misspellings of one word that are looked at

  /** How many letters must be put in, left out, changed or swapped, at most `most`; more than that is `most + 1`. */
  function distance(a, b, most) {
    if (Math.abs(a.length - b.length) > most) return most + 1;
    let [older, old, now] = [[], [...Array(b.length + 1).keys()], []];
    for (let i = 1; i <= a.length; i += 1) {
      now = [i];
      for (let j = 1; j <= b.length; j += 1) {
        now[j] = Math.min(old[j] + 1, now[j - 1] + 1, old[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) now[j] = Math.min(now[j], older[j - 2] + 1);
      }
      if (Math.min(...now) > most) return most + 1;
      [older, old] = [old, now];
    }
    return old[b.length];
  }

  /** The entries as objects, each with the titles of the sections that it stands in. */
  function read({ pages, rows }) {
    const entries = [];
    for (const row of rows.split("\n")) {
      const [page, kind, anchor, title, up, also = ""] = row.split("\t");
      const parent = up ? entries[entries.length - up] : null;
      const [path, weight] = pages[page];
      const above = parent ? [...parent.above, parent.title] : [];
      const at = anchor ? anchor.slice(1) : slug(title);
      entries.push({
        kind, parent, title: title || parent.title, above: title ? above : parent.above, also, weight: weight * KINDS[kind][1] * (title === LAST ? 0.6 : 1),
        url: path + ".html" + (at && !/[cp]/.test(kind) ? "#" + at : ""), said: KINDS[kind][0],
      });
    }
    return entries;
  }

  /** The stems in the order of the alphabet. */
  function unfold(text) {
    let before = "";
    return text.split(" ").map((word) => (before = before.slice(0, Number(word[0])) + word.slice(1)));
  }

  /** What each stem counts in each entry, as a function of the stem that gives a Map; and all stems. */
  function weigher(index, entries) {
    const lists = index.lists.split(" "), vocabulary = unfold(index.words), at = new Map(vocabulary.map((word, i) => [word, i]));
    const sizes = numbers(index.sizes), mean = sizes.reduce((sum, n) => sum + n, 0) / sizes.length;
    const small = new Map(), made = new Map();
    // Two words of a title are also the one that some write with a hyphen: label smoothing, label-smoothing.
    const joined = (title) => title.slice(1).map((word, i) => title[i] + word).filter((word) => at.has(word));
    entries.forEach((entry, place) => {
      entry.stems = stems(entry.title, true);
      for (const [field, text] of [["title", entry.title], ["also", entry.also], ["above", entry.above.join(" ")], ["kind", entry.said]]) {
        for (const word of new Set(field === "title" ? [...entry.stems, ...joined(entry.stems)] : stems(text))) {
          if (!small.has(word)) small.set(word, []);
          small.get(word).push([place, IN[field]]);
        }
      }
    });
    const all = [...vocabulary, ...[...small.keys()].filter((word) => !at.has(word))];
    return [all, (word) => {
      if (made.has(word)) return made.get(word);
      const of = new Map();
      let place = -1;
      for (const n of at.has(word) ? numbers(lists[at.get(word)]) : []) {
        place += 1 + (n >> 2);
        const size = entries[place].kind === "m" ? mean : sizes[place];
        of.set(place, TIMES[n & 3] / (0.4 + (0.6 * size) / mean));
      }
      for (const [where, weight] of small.get(word) ?? []) of.set(where, (of.get(where) ?? 0) + weight);
      made.set(word, of);
      return of;
    }];
  }

  return (index) => {
    const entries = read(index), [vocabulary, weights] = weigher(index, entries), known = new Set(vocabulary);
    const idf = (word) => Math.log(1 + entries.length / (weights(word).size + 4));

    /** Words of the book that may be meant by one that is typed, each with how surely. */
    function meant(word, last) {
      const found = new Map(known.has(word) ? [[word, 1]] : []);
      for (const other of LIKE.get(word) ?? []) if (known.has(other)) found.set(other, 0.7);
      if (last || !found.size) { // a single letter is a symbol: d is d_k too
        const longer = vocabulary.filter((other) => other.startsWith(word) && other !== word && (word.length > 1 || other.length < 3));
        longer.sort((a, b) => weights(b).size - weights(a).size);
        const sure = found.size ? 0.3 : 0.8;
        for (const other of longer.slice(0, MOST)) found.set(other, Math.max(found.get(other) ?? 0, (sure * word.length) / other.length));
      }
      if (!found.size && word.length > 3) {
        const most = word.length > 6 ? 2 : 1;
        const alike = vocabulary.filter((other) => other[0] === word[0] || other[1] === word[1]); // few err in both
        const near = alike.map((other) => [other, distance(word, other, most)]).filter(([, apart]) => apart <= most);
        const least = Math.min(...near.map(([, apart]) => apart));
        for (const [other, apart] of near) if (apart === least) found.set(other, apart === 1 ? 0.7 : 0.45);
      }
      for (const [other, sure] of [...found]) {
        for (const relative of relatives(other)) if (!found.has(relative)) found.set(relative, 0.5 * sure);
      }
      return found;
    }

    /** Words of the book with the same beginning and other endings: sinusoid and sinusoidal. */
    function relatives(word) {
      const same = Math.max(5, word.length - 3);
      if (word.length < 5) return [];
      return vocabulary.filter((other) => other.startsWith(word.slice(0, same)) && other.length <= same + 4 && other !== word);
    }

    /** What is asked for: of each word how much it counts, and what may be meant by it. */
    function asked(query) {
      const typed = [...words(query.replace(/\bhow (?:many|much)\b/gi, "count"))].flatMap((word) => (SHORT.has(word.lower) ? [...words(SHORT.get(word.lower))] : [word]));
      const telling = typed.filter(({ lower }) => !STOP.has(lower));
      const terms = [];
      (telling.length ? telling : typed).slice(0, 40).forEach(({ whole, parts }, i, all) => {
        const last = i === all.length - 1 && /[\p{L}\p{N}_]$/u.test(query);
        const isOne = !parts.length || known.has(whole);
        if (isOne) terms.push({ word: whole, counts: 1, meant: meant(whole, last) });
        for (const part of parts) terms.push({ word: part, counts: isOne ? 0.35 : 1, meant: meant(part, false) });
      });
      return terms;
    }

    /** How well a title says what is asked: words that follow each other in both, and whether there are no others. */
    function said({ stems: title, kind }, terms) {
      const wanted = terms.map(({ word }) => word);
      let pairs = 0;
      for (let i = 1; i < wanted.length; i += 1) {
        if (title.some((word, j) => word === wanted[i - 1] && title[j + 1] === wanted[i])) pairs += 1;
      }
      const bare = title.filter((word) => !STOP.has(word));
      const whole = bare.length === wanted.length && bare.every((word, i) => word === wanted[i]);
      const isTerm = kind === "t" && bare.every((word) => wanted.includes(word));
      return 1 + (wanted.length > 1 ? (0.25 * pairs) / (wanted.length - 1) : 0) + (whole || isTerm ? 0.5 : 0);
    }

    /** Entries by how well they answer, the best first, no place twice; and the stems that were found. */
    return (query) => {
      const terms = asked(query), scores = new Float64Array(entries.length), covered = new Float64Array(entries.length);
      const found = new Set();
      let total = 0;
      for (const { counts, meant } of terms) {
        const best = new Map();
        let rarest = meant.size ? 0 : Math.log(1 + entries.length);
        for (const [word, sure] of meant) {
          found.add(word);
          rarest = Math.max(rarest, sure * idf(word));
          for (const [place, weight] of weights(word)) {
            best.set(place, Math.max(best.get(place) ?? 0, (sure * idf(word) * weight) / (weight + 1.5)));
          }
        }
        total += counts * rarest;
        for (const [place, score] of best) {
          scores[place] += counts * score;
          covered[place] += counts * rarest;
        }
      }
      const results = [], seen = new Set();
      for (const [place, entry] of entries.entries()) {
        if (!scores[place]) continue;
        const share = covered[place] / total;
        const pasted = entry.kind === "m" && terms.length > 4 ? 2 : 1; // what a check said, word for word
        results.push({ entry, place, score: scores[place] * share ** 1.2 * entry.weight * pasted * said(entry, terms) });
      }
      // A section answers, too, what its parts answer.
      const parts = new Map();
      for (const { entry, score } of results) parts.set(entry.parent, Math.max(parts.get(entry.parent) ?? 0, score));
      for (const result of results) result.score += 0.2 * (parts.get(result.entry) ?? 0);
      results.sort((a, b) => b.score - a.score);
      const once = results.filter(({ entry }) => !seen.has(entry.url) && seen.add(entry.url));
      return { results: once, found, terms };
    };
  };
})();
