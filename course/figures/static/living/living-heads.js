// Chapter 05's model with heads to switch off. The live figure is a copy of the still picture, with words to hide and heads
// to press; without its weights the still picture stands. How many of the tested words are right is counted in slices.
(() => {
  const NUMBERS = 4;  // in each sentence
  const PLACES = { zeros: "Zeros", means: "Its mean" };  // what a head that is switched off adds

  const shown = number => number.toFixed(2);
  const quoted = text => `“${[...text].slice(0, 12).join("")}${[...text].length > 12 ? "…" : ""}”`;
  const list = parts => parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}` : parts.join("");

  // { first } of a text, or { error }: a sentence that says what to type instead.
  function readFirst(text, last) {
    const word = text.trim();
    if (!word) return { error: `Type a whole number from 1 to ${last}: the sentence counts on from there.` };
    if (!/^[0-9]+$/.test(word)) return { error: `${quoted(word)} is no whole number in digits. Type one such as 98.` };
    if (Number(word) < 1 || Number(word) > last) return { error: `${quoted(word)} is out of range: four numbers are counted from it, and the model knows 1 to 999. Type a number from 1 to ${last}.` };
    return { first: Number(word) };
  }

  customElements.define("living-heads", class extends living.Figure {
    connectedCallback() {
      if (this.controls) return;
      const { first, hidden, asked } = JSON.parse(this.getAttribute("start"));
      Object.assign(this, { first, masked: new Set(hidden), asked, place: "zeros", next: 0, run: 0 });
      this.copyStill("Your sentence, as the model reads it");
      this.cards = [...this.live.querySelectorAll(".layer")].map(layer => [...layer.querySelectorAll(".head")]);
      this.off = this.cards.map(cards => cards.map(() => false));
      this.buildHeads();
      this.buildWords([...this.live.querySelectorAll(".true")].map(word => word.textContent));
      this.buildControls();
      this.prepend(this.controls, this.live, this.says);
      this.classList.add("ready");
    }

    disconnectedCallback() { this.run++; }

    // ---- what can be touched

    buildHeads() {
      this.switches = this.cards.map((cards, l) => cards.map((card, h) => {
        const button = living.button(`Head ${h}`, () => this.change(() => { this.off[l][h] = !this.off[l][h]; }));
        button.setAttribute("aria-label", `Head ${h} of layer ${l}`);
        button.setAttribute("aria-pressed", true);
        card.querySelector(".which").replaceChildren(button);
        return button;
      }));
    }

    buildControls() {
      this.controls = living.make("div", "controls");
      this.text = living.field("Count from", { type: "text", inputmode: "numeric", value: this.first, autocomplete: "off", spellcheck: "false" });
      this.text.addEventListener("input", () => this.typed());
      const places = Object.entries(PLACES);
      this.controls.append(
        this.text.parentElement,
        living.button("Another test sentence", () => this.another()),
        living.group("In a head’s place", places.map(([, text]) => text), i => this.change(() => { [this.place] = places[i]; }), 0),
        living.group("Heads", ["All on", "All off"], i => this.change(() => { this.off = this.off.map(layer => layer.map(() => i === 1)); })));
    }

    // The sentence's words as buttons; the end cannot be hidden.
    buildWords(words) {
      this.words = words;
      this.chips = words.map((word, t) => {
        const chip = living.make("span", "word"), end = t === words.length - 1;
        chip.append(end ? living.make("span", "true", word) : living.button(word, () => this.press(t)), living.make("span", "named"));
        return chip;
      });
      this.live.querySelector(".sentence").replaceChildren(...this.chips);
      this.markWords();
    }

    markWords() {
      this.chips.forEach((chip, t) => {
        chip.className = `word${this.masked.has(t) ? " masked" : ""}${t === this.asked ? " asked" : ""}${t === this.words.length - 1 ? " end" : ""}`;
        chip.querySelector("button")?.setAttribute("aria-pressed", this.masked.has(t));
      });
    }

    press(t) {
      this.change(() => {
        if (!this.masked.delete(t)) this.masked.add(t);
        this.asked = t;
      });
    }

    async typed() {
      if (!await this.loaded()) return;
      const { first, error } = readFirst(this.text.value, this.file.last_first);
      this.text.setAttribute("aria-invalid", Boolean(error));
      this.error = error;
      if (error) this.says.textContent = error;
      else this.change(() => this.put(first, [0]));
    }

    another() {
      this.change(() => {
        const [first, ...hidden] = this.file.tested[this.next++ % this.file.tested.length];
        this.put(first, hidden);
        this.text.value = first;
        this.text.setAttribute("aria-invalid", false);
        this.error = "";
      });
    }

    put(first, hidden) {
      const { sentence, english } = living.translation;
      this.first = first;
      this.masked = new Set(hidden);
      this.asked = hidden[0] ?? 0;
      this.buildWords([...sentence(Array.from({ length: NUMBERS }, (_, i) => first + i), english), "end"]);
    }

    // ---- what the model makes of it

    // The model, once: its scripts come with the first touch.
    async load() {
      if (this.model) return;
      const version = this.getAttribute("version");
      for (const name of ["layers", "translation", "counter"]) await living.script(name, version);
      this.file = await living.model("heads", version);
      this.model = living.counter(this.file);
      const { sentence, english } = living.translation;
      this.tested = this.file.tested.map(([first, ...places]) => {
        const ids = this.model.idsOf(sentence(Array.from({ length: NUMBERS }, (_, i) => first + i), english));
        return { ids: this.model.hide(ids, places), places, right: places.map(t => ids[t]) };
      });
    }

    async change(action) {
      if (!await this.loaded()) return;
      action();
      this.classList.add("ready");
      this.live.hidden = false;
      this.show();
      const heads = JSON.stringify([this.off, this.place]);
      if (heads === this.counted) this.report();  // another sentence: the tested ones are answered as before
      else this.count(heads);
    }

    // What stands in each head's place, for the model.
    found() {
      return this.off.map((layer, l) => layer.map((off, h) =>
        !off ? null : this.place === "means" ? Float32Array.from(this.file.means[l][h]) : this.model.zeros));
    }

    show() {
      this.switches.forEach((layer, l) => layer.forEach((button, h) => {
        button.setAttribute("aria-pressed", !this.off[l][h]);
        this.cards[l][h].classList.toggle("off", this.off[l][h]);
      }));
      this.markWords();
      const ids = this.model.idsOf(this.words.slice(0, -1)), hidden = [...this.masked].sort((a, b) => a - b);
      const made = this.model.read(this.model.hide(ids, hidden), [...hidden, this.asked], this.found());
      const from = made.pop();
      this.wrong = [];
      for (const chip of this.chips) chip.querySelector(".named").textContent = "";
      hidden.forEach((t, i) => {
        const shares = living.maskedSoftmax([...made[i].logits], this.file.tokens.map(() => true)), best = living.argmax(shares);
        const named = this.chips[t].querySelector(".named"), word = this.file.tokens[best], wrong = word !== this.words[t];
        named.textContent = `${word} ${shown(shares[best])}`;
        named.classList.toggle("wrong", wrong);
        if (wrong) this.wrong.push(`${quoted(this.words[t])} is named ${quoted(word)}`);
      });
      this.live.querySelector(".from").textContent = `${this.words[this.asked]} (${this.asked + 1})`;
      this.cards.forEach((layer, l) => layer.forEach((card, h) => this.look(card, from.weights[l][h])));
    }

    look(card, weights) {
      const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a]);
      const most = order.slice(0, 3).map(t => `${this.words[t]} (${t + 1}) ${shown(weights[t])}`), strip = card.querySelector(".strip");
      strip.replaceChildren(...weights.map(weight => {
        const bar = living.make("span");
        bar.style.setProperty("--weight", weight.toFixed(3));
        return bar;
      }));
      strip.setAttribute("aria-label", `Looks most at ${most.join(", ")}`);
      card.querySelector(".most").textContent = most[0];
    }

    // Hidden words right, and the loss, over the tested sentences, in slices; a later change ends an earlier count.
    async count(heads) {
      this.counted = "";
      const run = ++this.run, score = this.live.querySelector(".score");
      score.classList.add("counting");
      await living.pause();  // what the heads do in the reader's own sentence is painted first
      const counted = await living.inSlices(this.answers(this.found()), () => run === this.run);
      if (!counted) return;
      score.classList.remove("counting");
      Object.assign(this, { counted: heads, score: counted });
      this.report();
    }

    *answers(found) {
      let right = 0, words = 0, loss = 0;
      for (const { ids, places, right: wanted } of this.tested) {
        this.model.read(ids, places, found).forEach(({ logits }, i) => {
          const shares = living.maskedSoftmax([...logits], this.file.tokens.map(() => true));
          right += living.argmax(shares) === wanted[i];
          loss -= Math.log(shares[wanted[i]]);
          words++;
        });
        yield;
      }
      return { right, words, loss: loss / words };
    }

    report() {
      const { right, words, loss } = this.score;
      const off = this.off.flatMap((layer, l) => layer.flatMap((is, h) => is ? [`head ${h} of layer ${l}`] : []));
      const on = this.off.flat().length - off.length, put = (name, text) => { this.live.querySelector(`.${name}`).textContent = text; };
      put("on", off.length === 0 ? "All eight heads on" : on === 0 ? "No head on" : `${on} of 8 heads on`);
      put("right", `${right} of ${words}`);
      put("accuracy", shown(right / words));
      put("loss", shown(loss));
      const bar = this.live.querySelector(".bar"), whole = Number(bar.style.getPropertyValue("--whole"));
      bar.style.setProperty("--share", (right / words).toFixed(4));
      const fewer = Math.round(whole * words) - right, share = this.masked.size / (this.words.length - 1);
      this.says.textContent = this.error || [
        off.length ? `Off: ${on ? list(off) : "all heads"}, ${this.place === "means" ? "with the mean" : "with zeros"} in ${off.length > 1 ? "their" : "its"} place.` : "All heads are on.",
        `${right} of ${words} hidden words right${off.length ? `, ${Math.abs(fewer)} ${fewer < 0 ? "more" : "fewer"} than with all` : ""}.`,
        !this.masked.size ? "Nothing is hidden in this sentence: press a word to hide it."
          : this.wrong.length ? `In this sentence ${list(this.wrong)}.` : "In this sentence all are right.",
        share > .4 && `Training hid about 15 words of a hundred; here it is ${this.masked.size} of ${this.words.length - 1}.`,
      ].filter(Boolean).join(" ");
    }
  });
})();
