// Chapter 04's measured runs under one slider: the steps of training, or the learning rate. The live figure is a copy of the
// first still picture; without this script all stand below each other.
(() => {
  const mean = values => values.reduce((sum, value) => sum + value, 0) / values.length;

  customElements.define("scale-runs", class extends HTMLElement {
    connectedCallback() {
      if (this.controls) return;
      Object.assign(this, JSON.parse(this.getAttribute("start")));
      this.live = this.querySelector(".step").cloneNode(true);
      this.live.classList.add("live");
      this.live.querySelector(".told").remove();
      this.places = this.views.map(() => this.at);
      this.controls = living.make("div", "controls");
      this.sliders = this.views.map(({ slider, values }, i) => {
        const input = living.slider(slider, { min: 0, max: values.length - 1, value: this.places[i] });
        input.addEventListener("input", () => { this.places[i] = Number(input.value); this.show(); });
        return input;
      });
      this.controls.append(
        living.group("Go through", this.views.map(({ name }) => name), view => { this.now = view; this.show(); }, this.now),
        ...this.sliders.map(slider => slider.parentElement));
      this.says = living.make("p", "says");
      this.says.setAttribute("role", "status");
      this.prepend(this.controls, this.live, this.says);
      this.classList.add("ready");
      this.show();
    }

    show() {
      const { now, live, names } = this, { values, says, shares } = this.views[now], at = this.places[now];
      const title = says.replace("{}", values[at]);
      this.sliders.forEach((slider, i) => {
        slider.parentElement.hidden = i !== now;
        slider.shown.textContent = this.views[i].values[this.places[i]];
        slider.setAttribute("aria-valuetext", slider.shown.textContent);
      });
      live.setAttribute("aria-label", title);
      live.querySelector(".title").textContent = title;
      const rows = [...live.querySelectorAll("tbody tr")];
      [...live.querySelectorAll(".lane")].forEach((lane, i) => this.lane(lane, rows[i], shares[i], at));
      const told = names.flatMap((name, i) => shares[i] ? [`${name}: ${living.number(mean(shares[i][at]))}`] : []);
      this.says.textContent = `${title}, mean share right by what multiplies the scores: ${told.join("; ")}.`;
    }

    // One scale: its dots and its row. shares: for each place of the slider and each seed; null where it was not run.
    lane(lane, row, shares, at) {
      const { left, across, tick } = this.drawing, x = share => (left + across * share).toFixed(1);
      const others = lane.querySelector(".others"), y = Number(lane.querySelector(".track").getAttribute("d").split(/[ h]/)[1]);
      lane.classList.toggle("none", !shares);
      others.setAttribute("d", (shares ?? []).map(values => `M${x(mean(values))} ${y - tick}v${2 * tick}`).join(""));
      row.querySelector(".mean").textContent = shares ? living.number(mean(shares[at])) : "not run";
      const cells = row.querySelectorAll(".seed");
      lane.querySelectorAll("circle").forEach((dot, seed) => {
        dot.setAttribute("cx", x(shares ? shares[at][seed] : 0));
        cells[seed].textContent = shares ? living.number(shares[at][seed], 4) : "";
      });
    }
  });
})();
