// The next character after what the reader types, before and after temperature, top-k and top-p, and how the model writes
// on. Until it is touched, and without its weights, the still picture stands.
(() => {
  const SHOWN = 10, WRITTEN = 100, WAIT = 40;  // rows; characters to write; milliseconds between two
  const ALL = "all", TOP_K = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, ALL];
  const QUIET = 400;  // milliseconds without a key until a screen reader is told
  const LONGEST = 4000;  // of what is typed, the last so many characters are looked at

  const named = character => ({ " ": "space", "\n": "end of line", "\ufffd": "any other" })[character] ?? character;

  customElements.define("living-language-model", class extends living.Figure {
    connectedCallback() {
      if (this.controls) return;
      this.start = JSON.parse(this.getAttribute("start"));
      this.written = "";
      this.buildControls();
      this.buildLive();
      this.prepend(this.controls, this.says, this.live);
    }

    disconnectedCallback() { this.stop(); clearTimeout(this.quiet); }

    buildControls() {
      this.controls = living.make("div", "controls");
      const { text, temperature, top_k: topK, top_p: topP, seed } = this.start;
      this.text = living.field("Your text", { rows: 2, autocomplete: "off", autocapitalize: "off", spellcheck: "false" }, "textarea");
      this.text.value = text;
      this.temperature = living.slider("Temperature", { min: 0, max: 2, step: .1, value: temperature });
      this.topK = living.slider("Top-k", { min: 0, max: TOP_K.length - 1, value: TOP_K.indexOf(topK) });
      this.topP = living.slider("Top-p", { min: .05, max: 1, step: .05, value: topP });
      this.seed = living.field("Seed", { type: "number", min: 0, max: 9999, step: 1, value: seed });
      const fields = [this.text, this.temperature, this.topK, this.topP, this.seed];
      this.text.parentElement.className = "text";
      this.seed.parentElement.className = "seed";
      this.go = living.button("Write", () => this.timer ? this.finish() : this.write());
      this.controls.append(...fields.map(field => field.parentElement), this.go);
      this.makeSays();
      this.controls.addEventListener("pointerdown", () => this.load().catch(() => {}), { once: true });  // `changed` says it
      for (const input of [this.text, this.temperature, this.topK, this.topP]) input.addEventListener("input", () => this.changed());
      this.seed.addEventListener("input", () => this.stop());
      this.nameSettings();
    }

    // The table of the still picture, to be filled anew; what was written; the cache's line.
    buildLive() {
      this.live = living.make("div", "live");
      this.live.hidden = true;
      this.table = this.live.appendChild(this.querySelector(".still table").cloneNode(true));
      this.output = this.live.appendChild(living.make("p", "written"));
      for (const [name, value] of Object.entries({ tabindex: 0, role: "group", "aria-label": "What the model wrote" })) this.output.setAttribute(name, value);
      this.cells = this.live.appendChild(living.make("div", "cells"));
      this.cells.setAttribute("aria-hidden", "true");  // `passed` says it
      this.passed = this.live.appendChild(living.make("p", "passed"));
    }

    settings() {
      const topK = TOP_K[this.topK.value];
      return { temperature: Number(this.temperature.value), topK: topK === ALL ? Infinity : topK, topP: Number(this.topP.value) };
    }

    nameSettings() {
      const { temperature, topK, topP } = this.settings();
      for (const [slider, value] of [
        [this.temperature, temperature.toFixed(1)],
        [this.topK, topK === Infinity ? ALL : String(topK)],
        [this.topP, topP === 1 ? "1, all" : topP.toFixed(2)],
      ]) {
        slider.shown.textContent = value;
        slider.setAttribute("aria-valuetext", value);
      }
    }

    // The model, once: its scripts come with the first touch. Says so where it cannot be had.
    async load() {
      if (this.model) return;
      const version = this.getAttribute("version");
      await living.script("layers", version);
      await living.script("causal-language-model", version);
      this.model = living.causalLanguageModel(await living.model("language-model", version));
      this.ids = new Map(this.model.characters.map((character, id) => [character, id]));
      this.ids.delete("\ufffd");
      this.cache = this.model.emptyCache();
    }

    async changed() {
      this.stop();
      this.written = "";
      this.nameSettings();
      if (await this.loaded() && this.readText()) this.show();
    }

    // What is typed, as ids. Without any to begin from it says so, and false comes back.
    readText() {
      const typed = [...this.text.value.slice(-LONGEST)], strange = [...new Set(typed.filter(character => !this.ids.has(character)))];
      this.typed = typed.flatMap(character => this.ids.get(character) ?? []);
      const others = strange.slice(0, 3).map(character => `“${character}”`).join(", ") + (strange.length > 3 ? " and others" : "");
      this.notes = [
        strange.length && `Left out, since the training text does not have it: ${others}.`,
        this.typed.length > this.model.window && `The model reads the last ${this.model.window} characters only.`,
      ].filter(Boolean);
      this.text.setAttribute("aria-invalid", !this.typed.length);
      if (!this.typed.length) this.tell(["Type at least one letter, digit or sign of English: the model goes on from what it has read.", ...this.notes].join(" "));
      return this.typed.length > 0;
    }

    // Follow the text, with what was written, and compute what comes next.
    read() {
      const tokens = [...this.typed, ...Array.from(this.written, character => this.ids.get(character))].slice(-this.model.window);
      const passed = this.model.follow(this.cache, tokens), logits = this.cache.logits.at(-1);
      return { passed, length: tokens.length, before: living.samplingDistribution(logits), after: living.samplingDistribution(logits, this.settings()) };
    }

    show() {
      const { passed, length, before, after } = this.read();
      this.classList.add("ready");
      this.live.hidden = false;
      const top = living.byLikelihood(before).slice(0, SHOWN), kept = after.filter(share => share > 0).length;
      const sum = shares => Math.max(0, 1 - top.reduce((total, id) => total + shares[id], 0));
      const rows = [...this.table.tBodies[0].rows];
      top.forEach((id, i) => this.fill(rows[i], named(this.model.characters[id]), before[id], after[id]));
      this.fill(rows[SHOWN], `the other ${before.length - SHOWN}`, sum(before), sum(after));
      this.output.replaceChildren(this.text.value.slice(-80), living.make("mark", "", this.written));
      this.output.hidden = !this.written;
      if (passed) this.showCache(passed, length);  // another setting leaves what was read last
      const first = named(this.model.characters[top[0]]);
      this.outcome = `Most likely next: ${first}, ${before[top[0]].toFixed(2)}; with the settings ${after[top[0]].toFixed(2)}. ` +
        `${kept} of ${before.length} characters can come.`;
      clearTimeout(this.quiet);
      if (!this.timer) this.quiet = setTimeout(() => this.tell([this.outcome, ...this.notes].join(" ")), QUIET);
    }

    // A cell for each position: dark what went through the layers now, light what stood in the cache, as in the chapter.
    showCache(passed, length) {
      const { window, multiplications } = this.model, count = (start, end) => String(multiplications(start, end)).replace(/\B(?=(\d{3})+$)/g, ",");
      this.cells.replaceChildren(...Array.from({ length: window }, (_, t) =>
        living.make("span", t >= length ? "" : t < length - passed ? "cached" : "new")));
      this.passed.textContent = `Through the layers: ${passed} of ${length} characters; ` +
        (passed < length ? "the others’ keys and values stood in the cache. " : "nothing stood in the cache that still fits. ") +
        `Multiplications: ${count(length - passed, length)}; without a cache, ${count(0, length)}.`;
    }

    fill(row, name, ...shares) {
      row.cells[0].textContent = name;
      shares.forEach((share, i) => {
        const cell = row.cells[i + 1];
        cell.style.setProperty("--share", share.toFixed(4));
        cell.textContent = share ? share.toFixed(2) : "0";
        cell.classList.toggle("out", share === 0);
      });
    }

    // Character by character, with a pause between two, so that the page stays free; all at once where motion is unwelcome.
    async write() {
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (!await this.loaded() || !this.readText() || this.timer) return;
      const number = living.uniforms(Number(this.seed.value) || 0);
      this.written = "";
      clearTimeout(this.quiet);
      this.go.textContent = "Stop";
      const next = () => {
        this.written += this.model.characters[living.draw(this.read().after, number())];
        if (this.written.length >= WRITTEN) { this.finish(); return; }
        if (!still) this.show();
        this.timer = setTimeout(next, still ? 0 : WAIT);
      };
      this.timer = setTimeout(next);
    }

    stop() {
      clearTimeout(this.timer);
      this.timer = null;
      this.go.textContent = "Write";
    }

    // What has been written stays, and a screen reader hears it.
    finish() {
      this.stop();
      this.show();
      clearTimeout(this.quiet);
      this.tell([`Seed ${Number(this.seed.value) || 0} wrote ${this.written.length} characters.`, ...this.notes].join(" "));
      this.says.append(living.make("span", "visually-hidden", ` ${this.written}`));
    }

    tell(text) {
      clearTimeout(this.quiet);
      super.tell(text);
    }
  });
})();
