// What each part of chapter 06's decoder read and added to one word's stream, on the reader's numbers. The live figure is a
// copy of the still picture, with German words to press; without its weights the still picture stands.
(() => {
  const MOST_NUMBERS = 6;  // as many as in training
  const shown = (number, digits = 2) => number.toFixed(digits);
  const length = vector => Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0));

  customElements.define("living-stream", class extends living.Figure {
    connectedCallback() {
      if (this.controls) return;
      Object.assign(this, JSON.parse(this.getAttribute("start")));
      this.copyStill("One word’s stream, in your sentence");
      this.buildWords([...this.live.querySelectorAll(".word")].map(word => word.textContent));
      this.buildControls();
      this.prepend(this.controls, this.live, this.says);
      this.classList.add("ready");
    }

    buildControls() {
      this.controls = living.make("div", "controls");
      this.text = living.field("Numbers, 1 to 999", { type: "text", value: this.numbers.join(", "), autocomplete: "off", spellcheck: "false" });
      this.controls.append(this.text.parentElement);
      this.text.addEventListener("input", () => this.typed());
    }

    buildWords(words, right = words) {
      this.words = words;
      this.chips = words.map((word, t) => {
        const chip = living.make("span", "word"), button = chip.appendChild(living.make("button", word === right[t] ? "" : "wrong", word));
        button.type = "button";
        if (word !== right[t]) button.append(living.make("span", "visually-hidden", " (wrong)"));
        button.addEventListener("click", () => this.press(t));
        return chip;
      });
      this.live.querySelector(".words").replaceChildren(...this.chips);
      this.mark();
    }

    mark() {
      this.chips.forEach((chip, t) => {
        chip.classList.toggle("asked", t === this.asked);
        chip.classList.toggle("last", this.words[t] === "end");
        chip.firstChild.setAttribute("aria-pressed", t === this.asked);
      });
    }

    // The model, once: its scripts come with the first touch.
    async load() {
      if (this.model) return;
      const version = this.getAttribute("version");
      for (const name of ["layers", "translation", "transformer"]) await living.script(name, version);
      this.file = await living.model("stream", version);
      this.model = living.transformer(this.file);
    }

    async typed() {
      const { numbers, error } = living.readNumbers(this.text.value, MOST_NUMBERS);
      this.text.setAttribute("aria-invalid", Boolean(error));
      if (error) {
        this.says.textContent = error;
        return;
      }
      this.numbers = numbers;
      this.asked = 0;
      if (await this.loaded() && this.numbers === numbers) this.write();
    }

    async press(t) {
      if (!await this.loaded()) return;
      this.asked = t;
      if (this.written) this.show(); else this.write();
    }

    word(token) { return token === this.file.eos ? "end" : this.file.target[token]; }

    write() {
      const { sentence, english, german } = living.translation;
      const source = sentence(this.numbers, english);
      this.source = [...source, "end"];
      this.written = this.model.write([...source.map(word => this.file.source.indexOf(word)), this.file.eos]);
      const right = [...sentence(this.numbers, german), "end"];
      this.asked = Math.min(this.asked, this.written.length - 1);
      this.buildWords(this.written.map(({ token }) => this.word(token)), right);
      this.live.querySelector(".source").textContent = this.source.join(" ");
      this.show();
    }

    // What a part read: the two words with the largest weights, or its stream alone.
    reads({ part, weights }) {
      if (!weights) return part === "network" ? "this stream alone" : "nothing";
      const read = part === "cross-attention" ? this.source : ["start", ...this.words];
      const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a]).slice(0, 2);
      return order.map(t => `${read[t]} ${shown(weights[t])}`).join(", ");
    }

    show() {
      this.classList.add("ready");
      this.live.hidden = false;
      this.mark();
      const { token, stages } = this.written[this.asked], word = this.words[this.asked];
      const lengths = stages.map(({ added }) => length(added)), most = Math.max(...lengths);
      this.live.querySelector(".from").textContent = word;
      const fits = [...this.live.querySelectorAll("tbody tr")].map((row, i) => {
        const logits = [...this.model.logitsOf(stages[i].stream)];
        const shares = living.maskedSoftmax(logits, logits.map(() => true)), best = living.argmax(shares);
        const [, reads, adds, then] = row.children;
        reads.textContent = this.reads(stages[i]);
        adds.textContent = shown(lengths[i], 1);
        adds.style.setProperty("--length", (lengths[i] / most).toFixed(3));
        then.replaceChildren(Object.assign(living.make("span", "", this.word(best)), { lang: "de" }), ` ${shown(shares[best])}`);
        then.classList.toggle("fits", best === token);
        return best === token;
      });
      const settled = fits.lastIndexOf(false) + 1, names = [...this.live.querySelectorAll("tbody th")].map(name => name.textContent);
      const before = settled && this.live.querySelectorAll("tbody .then span")[settled - 1].textContent;
      this.says.textContent = `“${word}”, word ${this.asked + 1} of ${this.words.length}: the stream says it ` +
        (settled ? `from ${names[settled]} on. Before, it says “${before}”.` : "from the start.");
    }
  });
})();
