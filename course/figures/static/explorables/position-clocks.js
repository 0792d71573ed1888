// Two sliders: a position, and how many positions on. Each clock has the hands of both, and the way between them. The live
// figure is a copy of the first still picture; without this script all stand below each other.
(() => {
  const point = angle => [Math.sin(angle), -Math.cos(angle)];  // a hand points to (sine, cosine), and a drawing's y axis down

  // The way of a hand: `turn` radians on from `start`, clockwise; a whole round where it is more.
  function arc(start, turn) {
    const end = start + Math.min(turn, 2 * Math.PI - 1e-3), [from, to] = [start, end].map(angle => point(angle).map(number => (number / 2).toFixed(3)).join(" "));
    return `M${from}A0.5 0.5 0 ${Number(end - start > Math.PI)} 1 ${to}`;
  }

  customElements.define("position-clocks", class extends HTMLElement {
    connectedCallback() {
      if (this.controls) return;
      Object.assign(this, JSON.parse(this.getAttribute("start")));
      this.live = this.querySelector(".step").cloneNode(true);
      this.live.classList.add("live");
      this.live.querySelector(".told").remove();
      this.controls = living.make("div", "controls");
      const slider = (name, most, value, act) => {
        const input = living.slider(name, { min: 0, max: most, value });
        this.controls.append(input.parentElement);
        input.addEventListener("input", () => { act(Number(input.value)); this.show(); });
        return input;
      };
      this.sliders = [
        slider("From position", this.last, this.position, value => { this.position = value; }),
        slider("Offset", this.farthest, this.offset, value => { this.offset = value; }),
      ];
      this.says = living.make("p", "says");
      this.says.setAttribute("role", "status");
      this.prepend(this.controls, this.live, this.says);
      this.classList.add("ready");
      this.show();
    }

    show() {
      const { position, offset, frequencies } = this, title = `From position ${position} to ${position + offset}`;
      this.sliders.forEach((slider, i) => {
        slider.shown.textContent = [position, offset][i];
        slider.setAttribute("aria-valuetext", title);
      });
      this.live.setAttribute("aria-label", title);
      this.live.querySelector(".title").textContent = title;
      const degrees = [...this.live.querySelectorAll("figure")].map((clock, i) => this.turn(clock, i, frequencies[i]));
      const product = frequencies.reduce((sum, frequency) => sum + Math.cos(frequency * offset), 0);
      this.says.textContent = `${title} the hands turn by ${degrees.slice(0, -1).join(", ")} and ${degrees.at(-1)} degrees. ` +
        `The dot product of the two encodings is ${living.number(product)}. Both are the same from every position.`;
    }

    // Draw one clock; returns by how much its hand has turned.
    turn(clock, i, frequency) {
      const angles = [this.position, this.position + this.offset].map(t => frequency * t), [svg, caption] = clock.children;
      const numbers = angles.map(angle => `sine ${living.number(Math.sin(angle))}, cosine ${living.number(Math.cos(angle))}`);
      const degrees = living.number(frequency * this.offset * 180 / Math.PI, 1);
      svg.setAttribute("aria-label", `Clock ${i}, from ${numbers[0]}, to ${numbers[1]}`);
      svg.querySelector(".arc").setAttribute("d", arc(angles[0], frequency * this.offset));
      [".before", ".hand"].forEach((name, j) => point(angles[j]).forEach((number, axis) => svg.querySelector(name).setAttribute(["x2", "y2"][axis], number.toFixed(3))));
      caption.firstChild.data = `sin ${living.number(Math.sin(angles[1]))}, cos ${living.number(Math.cos(angles[1]))}`;
      caption.lastChild.data = `turned ${degrees}°`;
      return degrees;
    }
  });
})();
