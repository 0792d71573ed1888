// Two layers of attention on the reader's own string: what they expect at each place, and where one place looks. The live
// figure is a copy of the still picture; without its weights the still picture stands.
(() => {
  const LOOKS = ["everywhere", "not at the place before", "not at the place two before", "only at the place before"];
  const QUIET = 400;  // milliseconds without a key until a screen reader is told

  const named = (symbol, share) => `${symbol} ${share.toFixed(2)}`;
  const times = count => ["never", "once", "twice"][count] ?? `${count} times`;

  customElements.define("living-induction", class extends living.Figure {
    connectedCallback() {
      if (this.controls) return;
      const { text, asked, period } = JSON.parse(this.getAttribute("start"));
      Object.assign(this, { asked, look: LOOKS[0], notes: [] });
      this.copyStill("Your string, as the model reads it");
      this.live.querySelector(".score").remove();  // `says` has it
      this.buildControls(text, period);
      this.buildString([...text]);
      this.prepend(this.controls, this.live, this.says);
      this.classList.add("ready");
    }

    disconnectedCallback() { clearTimeout(this.quiet); }

    // ---- what can be touched

    buildControls(text, period) {
      this.controls = living.make("div", "controls");
      this.text = living.field("Your string", { type: "text", value: text, autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
      this.text.parentElement.className = "text";
      this.text.addEventListener("input", () => this.typed());
      this.period = living.slider("Repeats after", { min: 4, max: 11, value: period });
      this.period.addEventListener("input", () => this.another());
      this.namePeriod();
      this.controls.append(
        this.text.parentElement,
        this.period.parentElement,
        living.button("Another string", () => this.another()),
        living.group("Layer 0 may look", LOOKS, i => this.change(() => { this.look = LOOKS[i]; }), 0));
    }

    namePeriod() {
      this.period.shown.textContent = this.period.value;
      this.period.setAttribute("aria-valuetext", `${this.period.value} symbols`);
    }

    // The symbols as buttons, and a place for what comes next.
    buildString(symbols) {
      this.chips = [...symbols, "?"].map((symbol, t) => {
        const chip = living.make("span", "word"), next = t === symbols.length;
        chip.append(next ? living.make("span", "true", symbol) : living.button(symbol, () => this.change(() => { this.asked = t; })), living.make("span", "named"));
        if (next) chip.classList.add("next");
        else chip.firstChild.setAttribute("aria-label", `${symbol}, place ${t + 1}`);
        return chip;
      });
      this.live.querySelector(".sentence").replaceChildren(...this.chips);
    }

    async typed() {
      if (!await this.loaded()) return;
      const all = [...this.text.value.toLowerCase()].filter(symbol => symbol.trim()), known = all.filter(symbol => this.ids.has(symbol));
      const strange = [...new Set(all.filter(symbol => !this.ids.has(symbol)))], { longest } = this.model;
      this.notes = [
        strange.length && `Left out, since the model knows the letters a to p alone: ${strange.slice(0, 3).map(symbol => `“${symbol}”`).join(", ")}${strange.length > 3 ? " and others" : ""}.`,
        known.length > longest && `The model reads ${longest} symbols: the last ones.`,
      ].filter(Boolean);
      this.text.setAttribute("aria-invalid", !known.length);
      if (known.length) this.change(() => this.put(known.slice(-longest)));
      else this.tell(["Type letters from a to p, such as abcdabc.", ...this.notes].join(" "));
    }

    // As many different symbols as the period says, in a random order, again and again.
    another() {
      this.namePeriod();
      this.change(() => {
        const symbols = [...this.model.symbols], period = Number(this.period.value);
        for (let i = symbols.length - 1; i > 0; i--) {
          const j = Math.floor(Math.random() * (i + 1));
          [symbols[i], symbols[j]] = [symbols[j], symbols[i]];
        }
        this.put(Array.from({ length: this.model.longest }, (_, t) => symbols[t % period]));
        this.text.value = this.tokens.map(id => this.model.symbols[id]).join("");
        this.text.setAttribute("aria-invalid", false);
        this.notes = [];
      });
    }

    put(symbols) {
      this.tokens = symbols.map(symbol => this.ids.get(symbol));
      this.asked = symbols.length - 1;
      this.buildString(symbols);
    }

    // ---- what the model makes of it

    // The model, once: its scripts come with the first touch.
    async load() {
      if (this.model) return;
      const version = this.getAttribute("version");
      for (const name of ["layers", "attention-reader"]) await living.script(name, version);
      this.model = living.attentionReader(await living.model("induction", version));
      this.ids = new Map([...this.model.symbols].map((symbol, id) => [symbol, id]));
      this.tokens = [...JSON.parse(this.getAttribute("start")).text].map(symbol => this.ids.get(symbol));
    }

    async change(action) {
      if (!await this.loaded()) return;
      action();
      this.classList.add("ready");
      this.live.hidden = false;
      this.show();
    }

    show() {
      const { tokens, asked, model } = this, { logits, weights } = model.read(tokens, this.look);
      const symbol = t => model.symbols[tokens[t]];
      const expected = logits.map(row => {
        const shares = living.maskedSoftmax([...row], [...row].map(() => true)), best = living.argmax(shares);
        return { best, text: named(model.symbols[best], shares[best]) };
      });
      // A place can be looked up where its pair, the symbol before it and its own, has stood before.
      const known = t => t > 0 && model.followed(tokens, t - 1).some(j => tokens[j] === tokens[t]);
      let right = 0, pairs = 0;
      this.chips.forEach((chip, t) => {
        const guess = t ? expected[t - 1] : null, next = t === tokens.length, put = chip.querySelector(".named");
        const wrong = Boolean(guess) && !next && known(t) && guess.best !== tokens[t];
        put.textContent = guess?.text ?? "";
        put.className = `named${!next && !known(t) ? " unknown" : ""}${wrong ? " wrong" : ""}`;
        chip.classList.toggle("asked", t === asked);
        chip.querySelector("button")?.setAttribute("aria-pressed", t === asked);
        if (!next && known(t)) { pairs++; right += !wrong; }
      });
      const after = model.followed(tokens, asked);
      this.live.querySelector(".from").textContent = `${symbol(asked)} (${asked + 1})`;
      this.live.querySelectorAll(".layer").forEach((layer, l) => this.fill(layer, l, weights[l][asked], l ? after : asked ? [asked - 1] : []));
      const score = pairs ? `${right} of ${pairs} symbols are as expected where the pair has stood before.` : "No pair of symbols has stood before: there is nothing to look up.";
      this.tell([
        `After ${symbol(asked)} (${asked + 1}) the model expects ${expected[asked].text}.`,
        after.length ? `The symbol has stood ${times(after.length)} before, and layer 1 gives ${after.reduce((sum, j) => sum + weights[1][asked][j], 0).toFixed(2)} of its weight to what followed.` : "The symbol has not stood before.",
        score,
        ...this.notes,
      ].join(" "));
    }

    fill(layer, l, weights, wanted) {
      const strip = layer.querySelector(".strip");
      strip.replaceChildren(...weights.map((weight, j) => {
        const bar = living.make("span", wanted.includes(j) ? "wanted" : "", this.model.symbols[this.tokens[j]]);
        bar.style.setProperty("--weight", weight.toFixed(3));
        return bar;
      }));
      const most = [...weights.keys()].sort((a, b) => weights[b] - weights[a] || a - b).slice(0, 3).filter(j => weights[j] > 0);
      strip.setAttribute("aria-label", `Looks most at ${most.map(j => `${this.model.symbols[this.tokens[j]]} (${j + 1}) ${weights[j].toFixed(2)}`).join(", ")}`);
      layer.querySelector(".sum").textContent = wanted.length ? wanted.reduce((sum, j) => sum + weights[j], 0).toFixed(2) : "nothing";
    }

    // The words appear at once; a screen reader is told when the keys rest.
    tell(text) {
      clearTimeout(this.quiet);
      this.quiet = setTimeout(() => super.tell(text), QUIET);
    }
  });
})();
