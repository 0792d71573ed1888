// Measured training curves of chapter 06: one for each setting of norm, residual connection, warm-up and rate. The live figure is
// a copy of the still picture, with switches; the curve before the last switch stays beside the new one. Without its curves
// the still picture stands.
(() => {
  const mean = losses => losses.includes(null) ? null : losses.reduce((sum, loss) => sum + loss, 0) / losses.length;

  customElements.define("living-switches", class extends living.Figure {
    missing = "The curves could not be loaded. The picture below is one of them, and right; another touch tries again.";

    connectedCallback() {
      if (this.controls) return;
      Object.assign(this, JSON.parse(this.getAttribute("start")), { drawing: JSON.parse(this.getAttribute("drawing")) });
      this.copyStill("Your curve, and the one before");
      this.controls = living.make("div", "controls");
      this.controls.append(...this.labels.map(([title, texts], i) => living.group(title, texts, place => this.change(i, place), this.now[i])));
      this.prepend(this.controls, this.live, this.says);
      this.classList.add("ready");
    }

    // The curves: they come with the first touch.
    async load() { this.held ??= await living.model("switches", this.getAttribute("version")); }

    async change(i, place) {
      if (this.now[i] !== place) [this.before, this.now] = [this.now, this.now.with(i, place)];
      if (!await this.loaded()) return;
      this.classList.add("ready");
      this.live.hidden = false;
      const both = [["now", this.now], ["before", this.before]];
      this.draw(both.toReversed());
      [...this.live.querySelectorAll("tbody tr")].forEach((row, i) => {
        const [name, ...cells] = row.children, [, places] = both[i];
        name.textContent = this.nameOf(places);
        cells.forEach((cell, j) => { cell.textContent = this.cell(places, this.shown[j]); });
      });
      const last = this.shown.at(-1);
      this.says.textContent = both.map(([, places]) => `${this.nameOf(places)}: ${this.cell(places, last)} at step ${last}.`).join(" Before, ");
    }

    curves(places) { return this.held.curves[places.reduce((sum, place, i) => sum * this.held.counts[i] + place, 0)]; }

    // A curve as a path; it may leave the axes' box at the top.
    line(losses) {
      const { left, top, across, down, most, far } = this.drawing, steps = this.held.steps;
      let path = "", broken = true;
      losses.forEach((loss, i) => {
        if (loss !== null) path += `${broken ? "M" : "L"}${(left + across * steps[i] / steps.at(-1)).toFixed(1)} ${(top + down * (1 - Math.min(loss, far) / most)).toFixed(1)}`;
        broken = loss === null;
      });
      return path;
    }

    draw(both) {
      const paths = both.flatMap(([kind, places]) => {
        const curves = this.curves(places), means = this.held.steps.map((_, t) => mean(curves.map(curve => curve[t])));
        return [...curves.map(curve => [`seed ${kind}`, curve]), [`mean ${kind}`, means]];
      });
      this.live.querySelector(".curves").replaceChildren(...paths.map(([kind, losses]) => {
        const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
        path.setAttribute("class", kind);
        path.setAttribute("d", this.line(losses));
        return path;
      }));
    }

    // Mean and range of the loss at a step.
    cell(places, step) {
      const losses = this.curves(places).map(curve => curve[this.held.steps.indexOf(step)]);
      if (losses.includes(null)) return "not finite";
      return Math.max(...losses) > this.telling ? "off the scale" : `${living.number(mean(losses))} (${living.number(Math.min(...losses))} to ${living.number(Math.max(...losses))})`;
    }

    nameOf(places) {
      const parts = places.map((place, i) => this.labels[i][1][place]);
      return `${parts.slice(0, -1).join(", ")}, rate ${parts.at(-1)}`;
    }
  });
})();
