// Numbers in words, by one vector and by attention, on what the reader types. Until it is touched, and without its
// weights, the still picture stands. `models` says which of the two it shows, `version` which files belong to it.
(() => {
  const MOST_NUMBERS = 8, TRAINED_NUMBERS = 6;
  const MORE_NUMBERS = [321, 47, 508, 96, 712, 83, 240, 659];  // what the slider adds to what was typed
  const WAIT = 160, WAIT_IN_ALL = 3000;  // milliseconds between two words, and for a sentence

  customElements.define("living-translation", class extends living.Figure {
    missing = "The models’ weights could not be loaded. The picture below was computed before, and is right; another touch tries again.";

    connectedCallback() {
      if (this.controls) return;
      this.names = this.getAttribute("models").split(" ");
      this.pool = MORE_NUMBERS;
      this.buildControls();
      this.live = living.make("div", "live");
      this.live.hidden = true;
      this.prepend(this.controls, this.says, this.live);
      new ResizeObserver(() => this.draw()).observe(this.live);
    }

    disconnectedCallback() { clearTimeout(this.timer); }

    buildControls() {
      this.controls = living.make("div", "controls");
      this.text = living.field("Numbers, 1 to 999", { type: "text", value: MORE_NUMBERS[0], autocomplete: "off", spellcheck: "false" });
      this.count = living.slider("How many", { min: 1, max: MOST_NUMBERS, value: 1 });
      const again = living.button("Write", () => this.typed());
      again.className = "again";
      this.controls.append(this.text.parentElement, this.count.parentElement, again);
      this.makeSays();
      this.controls.addEventListener("pointerdown", () => this.load().catch(() => {}), { once: true });  // `write` says it
      this.text.addEventListener("input", () => this.typed());
      this.count.addEventListener("input", () => this.counted());
      this.nameCount();
    }

    nameCount() {
      const count = Number(this.count.value), outside = count > TRAINED_NUMBERS ? ", more than in training" : "";
      this.count.shown.textContent = count + outside;
      this.count.setAttribute("aria-valuetext", `${count} ${count === 1 ? "number" : "numbers"}${outside}`);
    }

    typed() {
      const { numbers, error } = living.readNumbers(this.text.value, MOST_NUMBERS);
      this.text.setAttribute("aria-invalid", Boolean(error));
      if (error) { this.tell(error); return; }
      this.pool = [...numbers, ...MORE_NUMBERS.slice(numbers.length)];
      this.count.value = numbers.length;
      this.write(numbers);
    }

    counted() {
      const numbers = this.pool.slice(0, Number(this.count.value));
      this.text.value = numbers.join(", ");
      this.text.setAttribute("aria-invalid", false);
      this.write(numbers);
    }

    // The models, once: their scripts come with the first touch.
    async load() {
      if (this.models) return;
      const version = this.getAttribute("version");
      await living.script("layers", version);
      await living.script("translation", version);
      const files = await Promise.all(this.names.map(name => living.model(`translation-${name}`, version)));
      this.models = files.map((file, i) => [this.names[i], file, living.translation[this.names[i]](file)]);
    }

    async write(numbers) {
      this.nameCount();
      this.wanted = numbers;
      if (!await this.loaded() || this.wanted !== numbers) return;  // while the weights came, something else was asked for
      const { sentence, english, german, translate } = living.translation;
      const written = [];
      for (const [name, file, model] of this.models) {
        written.push({ name, ...translate(file, model, numbers) });
        await living.pause();
        if (this.wanted !== numbers || this.text.getAttribute("aria-invalid") === "true") return;
      }
      Object.assign(this, { written, source: [...sentence(numbers, english), "end"], target: sentence(numbers, german) });
      this.build();
      this.play();
    }

    // All of the sentence is there at once; `show` uncovers it word by word.
    build() {
      this.classList.add("ready");
      this.live.hidden = false;
      this.panels = this.written.map(made => {
        const panel = living.make("section", `panel ${made.name}`), title = made.name === "vector" ? "One vector" : "Attention";
        panel.setAttribute("aria-label", title);
        panel.append(living.make("p", "title", title));
        const source = panel.appendChild(living.make("p", "words source"));
        const sources = this.source.map((word, s) => {
          const chip = source.appendChild(living.make("span", s === this.source.length - 1 ? "word end" : "word", word));
          source.append(" ");
          return chip;
        });
        if (made.name === "vector") panel.append(vectorStrip(made.start.context));
        const target = panel.appendChild(living.make("p", "words target"));
        target.lang = "de";
        const words = made.words.map((word, t) => {
          const chip = target.appendChild(living.make("span", "word", word));
          if (word !== this.target[t]) {
            chip.classList.add("wrong");
            chip.append(living.make("span", "visually-hidden", " (wrong)"));
          }
          target.append(" ");
          return chip;
        });
        panel.append(living.make("p", "verdict", living.translation.verdict(made.words, this.target)));
        const lines = panel.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
        lines.setAttribute("aria-hidden", "true");
        lines.classList.add("lines");
        return { made, panel, sources, words, lines };
      });
      const most = Math.max(...this.written.map(({ words }) => words.length));
      const truth = living.make("p", "truth", "Right: ");
      this.step = living.field("Word", { type: "range", min: 1, max: most, value: most });
      this.step.parentElement.className = "scrub";
      this.step.addEventListener("input", () => { clearTimeout(this.timer); this.show(Number(this.step.value)); });
      truth.append(Object.assign(living.make("span", "", this.target.join(" ")), { lang: "de" }));
      this.live.replaceChildren(...this.panels.map(({ panel }) => panel), this.step.parentElement, truth);
      for (const cell of this.querySelectorAll(".measured [data-k]")) cell.classList.toggle("now", Number(cell.dataset.k) === this.wanted.length);
    }

    play() {
      clearTimeout(this.timer);
      const most = Number(this.step.max), wait = Math.min(WAIT, WAIT_IN_ALL / most);
      const next = t => {
        this.show(t);
        if (t < most) this.timer = setTimeout(() => next(t + 1), wait); else this.finish();
      };
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) { this.show(most); this.finish(); } else next(1);
    }

    // What a screen reader is told, once the sentence is written.
    finish() {
      const range = this.wanted.length > TRAINED_NUMBERS ? ` The models were trained on one to ${TRAINED_NUMBERS} numbers.` : "";
      const parts = this.written.map(({ name, words }) => `${name === "vector" ? "One vector" : "Attention"}: ${living.translation.verdict(words, this.target)}`);
      this.tell(`${this.wanted.join(", ")}. ${parts.join(" ")}${range}`);
    }

    // Word t of each translation has just been written, and those after it not yet.
    show(t) {
      this.at = t;
      this.step.value = t;
      for (const { made, sources, words, panel } of this.panels) {
        const here = Math.min(t, words.length) - 1, weights = made.weights[here];
        words.forEach((word, i) => {
          word.classList.toggle("waits", i >= t);
          word.classList.toggle("now", i === here);
        });
        panel.querySelector(".verdict").classList.toggle("waits", t < words.length);
        if (weights?.length) sources.forEach((word, s) => {
          word.style.setProperty("--weight", weights[s].toFixed(3));
          word.dataset.weight = weights[s] >= .05 ? weights[s].toFixed(2) : "";
        });
      }
      this.step.setAttribute("aria-valuetext", this.inWords(t));
      this.draw();
    }

    inWords(t) {
      return `Word ${t}. ` + this.written.map(({ name, words, weights }) => {
        const word = words[t - 1];
        if (!word) return `${name === "vector" ? "One vector" : "Attention"} has ended.`;
        if (!weights[t - 1]?.length) return `One vector writes ${word}.`;
        const top = living.argmax(weights[t - 1]);
        return `Attention writes ${word}, and looks most at ${this.source[top]}, ${weights[t - 1][top].toFixed(2)}.`;
      }).join(" ");
    }

    // Lines from the word that is being written to what it looks at; in a short sentence those of earlier words stay, pale.
    draw() {
      for (const { made, sources, words, lines } of this.panels ?? []) {
        if (!made.weights[0]?.length) continue;
        const last = Math.min(this.at, words.length) - 1, first = words.length > 8 ? last : 0, paths = [];
        for (let t = first; t <= last; t++) made.weights[t].forEach((weight, s) => {
          if (weight < .02) return;
          const path = document.createElementNS("http://www.w3.org/2000/svg", "path"), [from, to] = [words[t], sources[s]];
          path.setAttribute("d", `M${from.offsetLeft + from.offsetWidth / 2} ${from.offsetTop}L${to.offsetLeft + to.offsetWidth / 2} ${to.offsetTop + to.offsetHeight}`);
          path.setAttribute("stroke-width", 1 + 5 * weight);
          path.setAttribute("opacity", ((t === last ? .9 : .3) * (.3 + .7 * weight)).toFixed(2));
          paths.push(path);
        });
        lines.replaceChildren(...paths);
      }
    }
  });

  // The vector as it is: a bar for each of its numbers, above the line or below it.
  function vectorStrip(vector) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", `0 -1.1 ${vector.length} 2.2`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `The vector's ${vector.length} numbers as bars, from −1 to 1`);
    svg.classList.add("strip");
    const path = svg.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "path"));
    path.setAttribute("d", [...vector].map((number, i) => `M${i + .5} 0V${(-number).toFixed(3)}`).join(""));
    return svg;
  }
})();
