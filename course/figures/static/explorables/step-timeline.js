// One training step as a timeline: its micro-batches, the buckets of its gradient, and what the processors wait. Without this
// script one setting stands.
(() => {
  const percent = share => `${Math.floor(100 * share + .5)}%`, count = (number, what, more) => `${number} ${number === 1 ? what : more}`;
  const sum = spans => spans.reduce((all, [, span]) => all + span, 0), end = ([begins, span]) => begins + span;

  customElements.define("step-timeline", class extends HTMLElement {
    // The spans of a step, each as [where it begins, how long it lasts]. A bucket is sent when it is full and the network is
    // free; a backward pass that exchanges has ended when its last bucket has arrived.
    static step([forward, backward, delay], microBatches, buckets, network, every) {
      const made = { forward: [], backward: [], waits: [], exchange: [] };
      let now = 0, free = 0;
      for (let i = 0; i < microBatches; i++) {
        made.forward.push([now, forward]);
        made.backward.push([now + forward, backward]);
        let done = now + forward + backward;
        if (every || i === microBatches - 1) {
          for (let bucket = 0; bucket < buckets; bucket++) {
            made.exchange.push([Math.max(free, now + forward + backward * ((bucket + 1) / buckets)), network / buckets + delay]);
            free = end(made.exchange.at(-1));
          }
          made.waits.push([done, free - done]);
          done = free;
        }
        now = done;
      }
      const alone = microBatches * (forward + backward), length = end(made.waits.at(-1)), waited = sum(made.waits);
      return { ...made, alone, length, waited: waited / length, rate: alone / length, hidden: 1 - waited / sum(made.exchange), longest: microBatches * (forward + backward + network + delay) };
    }

    connectedCallback() {
      if (this.data) return;
      this.data = JSON.parse(this.dataset.start);
      [this.svg, this.says] = [this.querySelector("svg"), this.querySelector(".says")];
      this.says.setAttribute("role", "status");
      const { start: [microBatches, buckets, network, every], microBatches: counts, network: [least, most], exchanges } = this.data;
      Object.assign(this, { microBatches, buckets, network, every });
      this.querySelector(".step").prepend(
        choice("Micro-batches", counts, counts.indexOf(microBatches), i => { this.microBatches = counts[i]; this.show(); }),
        choice("Exchange", exchanges, every ? 0 : 1, i => { this.every = i === 0; this.show(); }),
        this.range("Buckets", { min: 1, max: this.data.buckets, step: 1 }, "buckets"),
        this.range("Network’s time for a gradient", { min: least, max: most, step: .1 }, "network"));
      this.ready = true;
      this.show();
    }

    // A named slider for one of the settings; its value in words stands beside it.
    range(title, attributes, what) {
      const set = document.createElement("fieldset"), input = document.createElement("input"), legend = document.createElement("legend"), shown = document.createElement("b");
      legend.textContent = title;
      Object.assign(input, { type: "range", ...attributes, value: this[what] });
      input.setAttribute("aria-label", title);
      shown.setAttribute("aria-hidden", "true");
      input.addEventListener("input", () => { this[what] = Number(input.value); this.show(); });
      set.append(legend, input, shown);
      (this.ranges ??= {})[what] = (text, words) => { shown.textContent = text; input.setAttribute("aria-valuetext", words); };
      return set;
    }

    show() {
      if (!this.ready) return;
      const { microBatches, buckets, network, every } = this, { box } = this.data, made = this.constructor.step(this.data.model, microBatches, buckets, network, every);
      const scale = box.across / made.longest, x = t => (box.left + t * scale).toFixed(2);
      const boxes = (spans, lane) => spans.map(([begins, span]) => `M${x(begins)} ${box[lane]}h${(span * scale).toFixed(2)}v${box.high}h-${(span * scale).toFixed(2)}z`).join("");
      for (const name of ["forward", "backward", "waits", "exchange"]) {
        this.querySelector(`path.${name}`).setAttribute("d", boxes(made[name], name === "exchange" ? "network" : "computing"));
      }
      this.querySelector("path.alone").setAttribute("d", `M${x(made.alone)} ${box.computing - 14}V${box.axis}`);
      const apart = made.longest < 8 ? 1 : made.longest < 16 ? 2 : 4, ticks = [];
      for (let t = 0; t <= made.longest; t += apart) {
        const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
        for (const [name, value] of Object.entries({ x: x(t), y: box.axis + 14, ...t && { class: "middle" } })) text.setAttribute(name, value);
        text.textContent = t;
        ticks.push(text);
      }
      this.querySelector(".ticks").replaceChildren(...ticks);
      const facts = [`${made.length.toFixed(2)} backward passes`, `${percent(made.waited)} of the step`, `${percent(made.rate)} of those without a network`, percent(made.hidden)];
      this.querySelectorAll("td").forEach((cell, i) => { cell.textContent = facts[i]; });
      this.ranges.buckets(buckets, count(buckets, "bucket", "buckets"));
      this.ranges.network(network.toFixed(1), `${network.toFixed(1)} backward passes`);
      const said = `${count(microBatches, "micro-batch", "micro-batches")}, ${count(buckets, "bucket", "buckets")}. The network takes ${network.toFixed(1)} backward passes for a gradient, `
        + `${this.data.exchanges[every ? 0 : 1]}. The step is ${made.length.toFixed(2)} backward passes long. The processors wait for ${percent(made.waited)} of it, and ${percent(made.hidden)} of the network’s time is hidden.`;
      this.svg.setAttribute("aria-label", `Two lanes over time: what the processors do, and what the network does. ${said}`);
      clearTimeout(this.later);  // said once the hand rests, not at every step of a slider
      this.later = setTimeout(() => { this.says.textContent = said; }, 150);
    }
  });
})();
