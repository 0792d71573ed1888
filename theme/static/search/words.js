// Words of a text and of a query, and how numbers are written in the index. The build runs this in V8 (theme/search), a
// browser on what came out: one file, so that both mean the same by a word.
globalThis.courseSearch = (() => {
  "use strict";

  // ---------------------------------------------------------------- words

  // Of a text and of a query alike: the same word is found however it is inflected, and whatever stands between letters.
  const STOP = new Set(("a about all also am an and any are as at be been between but by can could did do does each explain explained for from get had has have "
    + "how i if in into is it its itself just many may me more most much my no nor not of on one only or other our out own please s same should so "
    + "some such t than that the their them then there these they this those to too us use used uses using very was we were what when "
    + "where which while who why will with would you your").split(" "));
  const WORD = /√|[a-z]+(?:,[a-z]+)*->[a-z]*|\d+(?:[.,]\w+)+|[\p{L}\p{N}_]+(?:[-‐–'’][\p{L}\p{N}_]+)*/gu;
  const IRREGULAR = new Map(Object.entries({ axes: "axis", matrices: "matrix", vertices: "vertex", indices: "index", learnt: "learn", gpus: "gpu", cpus: "cpu" }));

  /** A word's stem: plural and -ed, -ing, -ation go, its beginning stays as it is typed, so that half a word finds it. */
  function stem(word) {
    if (/\d/.test(word)) return word.replace(/^0+(?=\d+$)/, "");
    let w = (IRREGULAR.get(word) ?? word).replace(/is(e|ed|es|er|ing|ations?)$/, (all, end) => (word.length > 6 ? "iz" + end : all));
    w = w.replace(/(?<=...)our(?=s?$|ed$|ing$)/, "or");
    if (w.length < 4) return w;
    if (w.endsWith("ies") && w.length > 4) w = w.slice(0, -3) + "y";
    else if (/(?:ss|x|ch|sh)es$/.test(w)) w = w.slice(0, -2);
    else if (/[^sui]s$/.test(w)) w = w.slice(0, -1);
    if (/[aeiouy].*ations?$/.test(w) && w.length > 6) w = w.replace(/ations?$/, "at");
    else if (/[aeiouy].*ing$/.test(w) && w.length > 5) w = undoubled(w.slice(0, -3));
    else if (/[aeiouy].*ed$/.test(w) && !/eed$/.test(w) && w.length > 4) w = undoubled(w.slice(0, -2));
    return w.length > 3 && w.endsWith("e") ? w.slice(0, -1) : w;
  }

  const undoubled = (w) => (/([bdfgmnprt])\1$/.test(w) ? w.slice(0, -1) : w);

  /** A text in one spelling: QKᵀ and QK^T, dₖ and d_k are the same, and so are capitals and small letters. */
  function plain(text) {
    return text.replace(/\\sqrt\b/g, "√").replace(/\^\s*\{?\\?(?:top|⊤|ᵀ|T)\b\}?|⊤/g, "T").normalize("NFKC");
  }

  /** The stems of one word as it is written: of a name or a hyphenated word that of the whole, then those of its parts. */
  function forms(written) {
    if (!known.has(written)) known.set(written, formed(written));
    return known.get(written);
  }

  const known = new Map();

  function formed(written) {
    if (written === "√") return { whole: "root", parts: [] };
    const word = written.replace(/['’]s?$/, "");
    if (word.includes("->")) return { whole: word, parts: word.split(/[^a-z]+/).filter((part) => part.length > 1) };
    const pieces = word.split(/[-‐–'’_]+|(?<=\p{Ll}\p{Ll})(?=\p{Lu})/u).filter(Boolean).map((part) => part.toLowerCase());
    const whole = stem(pieces.join("").replace(/,/g, ""));
    return { whole, parts: pieces.length > 1 ? pieces.filter((part) => part.length > 1 && !STOP.has(part)).map(stem) : [] };
  }

  /** Every word of a text with its place, for the index and to mark what was found. */
  function* words(text) {
    const changed = plain(text);
    const same = changed.length === text.length ? changed : text; // places must be those of the text that is shown
    for (const match of same.matchAll(WORD)) {
      const written = same === text ? plain(match[0]) : match[0];
      yield { at: match.index, end: match.index + match[0].length, lower: written.toLowerCase(), ...forms(written) };
    }
  }

  /** The stems of a text, each as often as it occurs; those of common words too where asked for. */
  function stems(text, all = false) {
    const found = [];
    for (const { lower, whole, parts } of words(text)) if (all || !STOP.has(lower)) found.push(whole, ...parts);
    return found;
  }

  // ---------------------------------------------------------------- numbers

  const BASE = 45, FIRST = 35, REST = FIRST + BASE; // the last digit of a number is below REST, those before are not

  function digits(n) {
    let text = String.fromCharCode(FIRST + (n % BASE));
    for (n = Math.floor(n / BASE); n; n = Math.floor(n / BASE)) text = String.fromCharCode(REST + (n % BASE)) + text;
    return text.replaceAll("\\", "!");
  }

  /** The numbers of a text that `digits` wrote. */
  function numbers(text) {
    const found = [];
    let n = 0;
    for (let i = 0; i < text.length; i += 1) {
      const code = text[i] === "!" ? 92 : text.charCodeAt(i);
      if (code >= REST) n = n * BASE + code - REST;
      else {
        found.push(n * BASE + code - FIRST);
        n = 0;
      }
    }
    return found;
  }

  /** What a heading's anchor is where nothing else says so. */
  function slug(title) {
    const ascii = title.normalize("NFKD").toLowerCase().replace(/[^\p{ASCII}]/gu, "");
    return ascii.replace(/[^a-z0-9]+/g, "-").replace(/^[-0-9]+|-+$/g, "");
  }

  const NAME = 3; // what is stored beside an entry: 0, 1, 2 by how often the text has the word, 3 a name in its code alone

  return { STOP, NAME, stem, stems, words, plain, digits, numbers, slug };
})();
