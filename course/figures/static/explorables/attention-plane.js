// A query and keys whose tips are dragged, by pointer or arrow keys; gain, root and mask. Without this script the picture stands at its start.
customElements.define("attention-plane", class extends HTMLElement {
  // One query (d) over keys (S, d), each with a value: scores, weights (all zero where no key may be looked at), entropy in bits, output.
  static attend(query, keys, values, { gain, root, mask }) {
    const scale = gain / (root ? Math.sqrt(query.length) : 1);
    const scores = keys.map(key => scale * key.reduce((sum, x, i) => sum + x * query[i], 0));
    const largest = Math.max(...scores.filter((_, s) => mask[s]));
    const exponentials = scores.map((score, s) => mask[s] ? Math.exp(score - largest) : 0);
    const sum = exponentials.reduce((a, b) => a + b, 0);
    const weights = exponentials.map(x => sum && x / sum);
    return {
      scores, weights,
      entropy: weights.reduce((bits, w) => w ? bits - w * Math.log2(w) : bits, 0),
      output: weights.reduce((out, w, s) => out + w * values[s], 0),
    };
  }

  connectedCallback() {
    if (this.points) return;
    const start = JSON.parse(this.dataset.start), root = this.querySelector(".step");
    Object.assign(this, { names: start.names, values: start.values, says: this.querySelector(".says") });
    this.svg = this.querySelector("svg");
    this.svg.setAttribute("role", "group");
    this.svg.setAttribute("aria-label", "The plane, from −3 to 3 both ways");
    this.says.setAttribute("role", "status");
    this.arrows = [...this.svg.querySelectorAll("g")];
    this.arrows.forEach((arrow, i) => this.enliven(arrow, i));
    root.prepend(...this.controls(start));
    this.reset(start);
  }

  reset(start) {
    this.points = [start.query, ...start.keys].map(point => [...point]);
    Object.assign(this, { gain: 1, root: true, mask: start.keys.map(() => true) });
    this.range.value = 1;
    for (const box of this.querySelectorAll("[type=checkbox]")) box.checked = true;
    this.show();
  }

  controls(start) {
    const group = (title, labels, act) => {
      const set = document.createElement("fieldset"), legend = set.appendChild(document.createElement("legend"));
      legend.textContent = title;
      labels.forEach((text, i) => {
        const label = set.appendChild(document.createElement("label")), box = label.appendChild(document.createElement("input"));
        box.type = "checkbox";
        box.addEventListener("change", () => { act(i, box.checked); this.show(); });
        label.append(text);
      });
      return set;
    };
    const how = document.createElement("p"), gain = group("Gain", [], null);
    how.className = "how";
    how.textContent = "Drag the tip of an arrow, or choose it with Tab and move it with the arrow keys; with Shift in larger steps.";
    this.range = gain.appendChild(document.createElement("input"));
    Object.assign(this.range, { type: "range", min: 0, max: 10, step: .1 });
    this.range.setAttribute("aria-label", "Gain");
    this.range.addEventListener("input", () => { this.gain = Number(this.range.value); this.show(); });
    this.amount = gain.appendChild(document.createElement("output"));
    const back = gain.appendChild(document.createElement("button"));
    Object.assign(back, { type: "button", textContent: "Back to the start" });
    back.addEventListener("click", () => this.reset(start));
    return [how, gain, group("Scores", ["divided by √2"], (_, on) => { this.root = on; }), group("May be looked at", this.names, (i, on) => { this.mask[i] = on; })];
  }

  // Makes an arrow a control: a larger circle at its tip takes the pointer, the whole takes the focus.
  enliven(arrow, i) {
    const handle = arrow.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "circle"));
    handle.setAttribute("r", .42);
    const attributes = { tabindex: 0, role: "slider", "aria-roledescription": "arrow in the plane", "aria-valuemin": -3, "aria-valuemax": 3, "aria-label": i ? `Key ${this.names[i - 1]}` : "Query" };
    for (const [name, value] of Object.entries(attributes)) arrow.setAttribute(name, value);
    arrow.addEventListener("keydown", event => {
      const [x, y] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] ?? [0, 0];
      if (!x && !y || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      const step = event.shiftKey ? .5 : .1;
      this.move(i, this.points[i][0] + step * x, this.points[i][1] + step * y);
    });
    arrow.addEventListener("pointerdown", event => {
      if (event.button) return;
      event.preventDefault();
      arrow.focus({ preventScroll: true });
      handle.setPointerCapture(event.pointerId);
    });
    handle.addEventListener("touchstart", event => event.preventDefault(), { passive: false });  // touch-action does not hold within a drawing
    handle.addEventListener("pointermove", event => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
      this.move(i, x, -y);
    });
  }

  // A point lies on a grid of tenths, so that what is shown is what is computed.
  move(i, x, y) {
    this.points[i] = [x, y].map(value => Math.round(10 * Math.min(3, Math.max(-3, value))) / 10);
    this.show();
  }

  show() {
    const [query, ...keys] = this.points, { gain, root, mask } = this;
    const { scores, weights, entropy, output } = this.constructor.attend(query, keys, this.values, { gain, root, mask });
    this.arrows.forEach((arrow, i) => {
      const [x, y] = this.points[i], length = Math.hypot(x, y), shaft = length > .2 ? 1 - .2 / length : 0;
      const [line, tip, label, handle] = arrow.children, place = (element, at) => { for (const name in at) element.setAttribute(name, at[name]); };
      place(line, { x2: shaft * x, y2: -shaft * y });
      place(tip, { transform: `translate(${x} ${-y}) rotate(${Math.atan2(-y, x) * 180 / Math.PI})` });
      place(label, { x: Math.min(2.4, Math.max(-2.4, x)), y: y > 0 ? -y - .25 : -y + .47 });
      place(handle, { cx: x, cy: -y });
      place(arrow, { "aria-valuenow": x, "aria-valuetext": `${number(x, 1)} to the right, ${number(y, 1)} up${i && !mask[i - 1] ? ", masked" : ""}` });
      if (i) arrow.style.setProperty("--width", .04 + .1 * weights[i - 1]);
      arrow.classList.toggle("masked", i > 0 && !mask[i - 1]);
    });
    [...this.querySelector("tbody").rows].forEach((row, s) => {
      const [name, score, weight] = row.cells;
      row.classList.toggle("masked", !mask[s]);
      name.querySelector("span").textContent = vector(keys[s]);
      score.textContent = number(scores[s], 2);
      weight.querySelector(".of").textContent = mask[s] ? number(weights[s], 3) : "masked";
      weight.querySelector(".bar").style.setProperty("--value", weights[s]);
    });
    this.querySelector(".entropy").textContent = number(entropy, 3);
    this.querySelector(".output").textContent = number(output, 1);
    this.amount.textContent = number(gain, 1);
    this.range.setAttribute("aria-valuetext", number(gain, 1));
    clearTimeout(this.later);  // said once the hand rests, not at every pixel
    this.later = setTimeout(() => { this.says.textContent = this.sentence(query, weights, entropy, output); }, 150);
  }

  sentence(query, weights, entropy, output) {
    const allowed = this.mask.filter(Boolean).length, top = Math.max(...weights), first = weights.indexOf(top);
    const start = `Query ${vector(query)}, ${number(Math.hypot(...query), 1)} long.`;
    if (!allowed) return `${start} No key may be looked at: every weight is zero, and so is what comes back.`;
    const even = weights.filter(w => w > top - 1e-9).length === allowed && allowed > 1;
    const most = even ? `All keys that may be looked at have the same weight, ${number(top, 2)}.` : `The most weight, ${number(top, 2)}, falls on ${this.names[first]}.`;
    return `${start} ${most} Entropy: ${number(entropy, 2)} of at most ${number(Math.log2(allowed), 2)} bits. What comes back: ${number(output, 1)}.`;
  }
});
