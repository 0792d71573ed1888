// Chapter 06's model searched with a beam, on the reader's numbers: what each step kept and dropped. The live figure is a copy
// of the still picture; without its weights the still picture stands.
(() => {
  const MOST_NUMBERS = 6;  // as many as in training
  const WIDTHS = [1, 2, 3, 4, 5], DROPPED = 2, ENDING = 6;  // beams; of what a step drops, and of a hypothesis' words, so many are shown
  const SCORES = ["sum", "mean"];  // length penalties 0 and 1

  // <tag attribute="value">text</tag> of a drawing
  function drawn(tag, attributes, text = "") {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.textContent = text;
    return element;
  }

  customElements.define("living-beam", class extends living.Figure {
    connectedCallback() {
      if (this.controls) return;
      const { numbers, width, sentences, steps } = JSON.parse(this.getAttribute("start"));
      Object.assign(this, { asked: { numbers, width, penalty: 0 }, sentences, at: steps - 1, drawing: JSON.parse(this.getAttribute("drawing")) });
      this.copyStill("The search on your sentence");
      this.buildControls(steps);
      this.prepend(this.controls, this.live, this.says);
      this.classList.add("ready");
    }

    buildControls(steps) {
      this.controls = living.make("div", "controls");
      this.text = living.field("Numbers, 1 to 999", { type: "text", value: this.asked.numbers.join(", "), autocomplete: "off", spellcheck: "false" });
      this.text.addEventListener("input", () => this.typed());
      this.step = living.field("Step", { type: "range", min: 1, max: steps, value: steps });
      this.step.addEventListener("input", () => this.go(() => Number(this.step.value) - 1));
      this.controls.append(
        this.text.parentElement,
        living.group("Sentences", this.sentences.map(numbers => numbers.join(", ")), i => { this.text.value = this.sentences[i].join(", "); this.typed(); }),
        living.group("Beam", WIDTHS, i => this.change({ width: WIDTHS[i] }), WIDTHS.indexOf(this.asked.width)),
        living.group("Score", SCORES.map(name => `the ${name}`), i => this.change({ penalty: i }), 0),
        this.step.parentElement,
        living.group("Walk", ["First", "Back", "Next", "Last"], i => this.go(() => [0, this.at - 1, this.at + 1, Infinity][i])));
    }

    // The model, once: its scripts come with the first touch.
    async load() {
      if (this.model) return;
      const version = this.getAttribute("version");
      for (const name of ["layers", "translation", "transformer", "beam"]) await living.script(name, version);
      this.file = await living.model("stream", version);
      this.model = living.transformer(this.file);
    }

    typed() {
      const { numbers, error } = living.readNumbers(this.text.value, MOST_NUMBERS);
      this.text.setAttribute("aria-invalid", Boolean(error));
      if (error) this.says.textContent = error; else this.change({ numbers });
    }

    // Other numbers, another beam or another score: search again, and show the last step.
    change(settings) {
      this.asked = { ...this.asked, ...settings };
      this.found = this.find(this.asked);
    }

    // What stands in the page stays whole until all of the new search is there, or for good where another is asked for.
    async find(asked) {
      const wanted = () => this.asked === asked;
      if (!await this.loaded() || !wanted()) return;
      const found = await living.inSlices(this.search(asked), wanted);
      if (!found) return;
      Object.assign(this, found);
      this.show(this.steps.length - 1);
      if (this.text.getAttribute("aria-invalid") !== "true") this.says.textContent = this.inAll();
    }

    // To another step, once the newest search is at its end.
    async go(where) {
      if (!this.steps) this.change({});
      for (let found; found !== this.found;) await (found = this.found);
      if (!this.steps) return;
      this.show(Math.min(Math.max(where(), 0), this.steps.length - 1));
      this.says.textContent = this.inWords();
    }

    *search({ numbers, width, penalty }) {
      const { sentence, english, german } = living.translation, { bos, eos, most_words: most } = this.file;
      const source = sentence(numbers, english), target = sentence(numbers, german);
      const ids = [...source.map(word => this.file.source.indexOf(word)), eos];
      const words = steps => steps.map(step => step.map(one => ({ ...one, words: one.tokens.map(token => token === eos ? "end" : this.file.target[token]) })));
      const searched = (width, penalty) => living.beamSearch(this.model, ids, { bos, eos, most, width, penalty, dropped: DROPPED });
      const written = steps => steps.at(-1)[0].words.filter(word => word !== "end");
      const steps = words(yield* searched(width, penalty)), greedy = words(yield* searched(1, 0));
      return { numbers, width, penalty, source, target, steps, written: [["Greedy", written(greedy)], [`Beam of ${width}`, written(steps)]] };
    }

    // ---- what is shown

    show(at) {
      this.at = at;
      this.classList.add("ready");
      this.live.hidden = false;
      this.step.max = this.steps.length;
      this.step.value = at + 1;
      this.showSentences();
      this.draw();
      this.showTable();
      this.step.setAttribute("aria-valuetext", this.inWords());
    }

    showSentences() {
      const [english, ...lines] = this.live.querySelectorAll(".line");
      english.querySelector(".source").textContent = [...this.source, "end"].join(" ");
      lines.forEach((line, i) => {
        const [name, words] = this.written[i], [what, written, verdict] = line.children;
        what.textContent = name;
        written.replaceChildren(...words.flatMap((word, t) => [living.make(word === this.target[t] ? "span" : "s", "", word), " "]));
        verdict.textContent = living.translation.verdict(words, this.target);
      });
    }

    // The steps in the drawing: the last few up to the one that is shown.
    columns() { return this.steps.slice(Math.max(0, this.at + 1 - this.drawing.columns), this.at + 1); }

    draw() {
      const { step: wide, row, half, tall, columns } = this.drawing, steps = this.columns(), svg = this.live.querySelector("svg");
      const lines = [], boxes = [], best = [0];  // the places on the way to the best
      for (const step of steps.slice(1).reverse()) best.unshift(step[best[0]].parent);
      steps.forEach((step, c) => step.forEach((one, place) => {
        const x = wide * (c + .5), y = row * (place + .5), kind = (one.kept ? "kept" : "dropped") + (one.kept && best[c] === place ? " best" : "");
        if (c) lines.push(drawn("path", { class: kind, d: `M${x - wide + half} ${row * (one.parent + .5)}L${x - half} ${y}` }));
        const box = drawn("g", { class: kind, transform: `translate(${x} ${y})` });
        box.append(
          drawn("rect", { x: -half, y: -tall, width: 2 * half, height: 2 * tall, rx: 5 }),
          drawn("text", { y: -2, lang: "de" }, one.words.at(-1)),
          drawn("text", { class: "score", y: 12 }, living.number(one.score)));
        boxes.push(box);
      }));
      svg.setAttribute("viewBox", `0 0 ${wide * columns} ${row * steps.at(-1).length}`);
      svg.setAttribute("aria-label", this.treeInWords());
      svg.replaceChildren(...lines, ...boxes);
      svg.parentElement.scrollLeft = svg.scrollWidth;  // where the tree is wider than the page, its newest step
    }

    showTable() {
      this.live.querySelector(".at").textContent = this.at + 1;
      this.live.querySelector(".of").textContent = this.steps.length;
      this.live.querySelector("tbody").replaceChildren(...this.steps[this.at].map((one, place) => {
        const row = living.make("tr", one.kept ? "kept" : "dropped"), head = living.make("th", "", this.ending(one));
        Object.assign(head, { scope: "row", lang: "de" });
        row.append(head, living.make("td", "words", one.words.length), living.make("td", "total", living.number(one.total)),
          living.make("td", "by", living.number(one.score)), living.make("td", "", this.outcome(one, place)));
        return row;
      }));
    }

    // ---- in words

    ending({ words }) { return [...(words.length > ENDING ? ["…"] : []), ...words.slice(-ENDING)].join(" "); }

    outcome({ kept, words }, place) {
      if (kept) return words.at(-1) === "end" ? "kept, finished" : "kept";
      return `dropped: place ${place + 1}, ${this.width} kept`;
    }

    list(step, kept, name) { return step.filter(one => one.kept === kept).map(one => `${name(one)} ${living.number(one.score)}`).join(", "); }

    treeInWords() {
      const last = one => one.words.at(-1), steps = this.columns(), before = this.at + 1 - steps.length;
      return steps.map((step, c) => `Step ${before + c + 1}: kept ${this.list(step, true, last)}; dropped ${this.list(step, false, last)}.`).join(" ");
    }

    inWords() {
      const step = this.steps[this.at], name = one => `“${this.ending(one)}”`;
      return `Step ${this.at + 1} of ${this.steps.length}: kept ${this.list(step, true, name)}; dropped ${this.list(step, false, name)}.`;
    }

    inAll() {
      const said = this.written.map(([name, words]) => `${name}: ${living.translation.verdict(words, this.target)}`);
      return `Scored by the ${SCORES[this.penalty]} of the log-probabilities. ${said.join(" ")} ${this.steps.length} steps.`;
    }
  });
})();
