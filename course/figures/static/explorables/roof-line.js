// The roofline of a card in a format: an intensity to drag, and the bound that holds there. Without this script one state stands.
customElements.define("roof-line", class extends HTMLElement {
  // Operations a second at most: the peak, or what the memory feeds. A format without units of its own is computed in float32.
  static attainable(card, format, intensity) {
    const peak = card.peaks[format] ?? card.peaks.float32;
    return { peak, rate: Math.min(peak, intensity * card.bandwidth), bend: peak / card.bandwidth };
  }

  connectedCallback() {
    if (this.data) return;
    this.data = JSON.parse(this.dataset.start);
    [this.svg, this.says] = [this.querySelector("svg"), this.querySelector(".says")];
    const { cards, formats, works, start: [card, format, intensity], axes: { intensities: [low, high] } } = this.data, names = formats.map(([name]) => name);
    Object.assign(this, { card: cards[card], format: names[format], intensity });
    this.says.setAttribute("role", "status");
    const presets = works.map(work => Object.assign(document.createElement("button"), { type: "button", textContent: work.name }));
    presets.forEach((button, i) => button.addEventListener("click", () => this.set(this.of(works[i]))));
    const group = (title, ...within) => {
      const set = document.createElement("fieldset"), legend = set.appendChild(document.createElement("legend"));
      legend.textContent = title;
      set.append(...within);
      return set;
    };
    this.range = Object.assign(document.createElement("input"), { type: "range", min: low, max: high, step: .1 });
    this.range.setAttribute("aria-label", "Operations per byte");
    this.range.addEventListener("input", () => this.set(2 ** this.range.value));
    this.querySelector(".step").prepend(
      choice("Card", cards.map(({ name }) => name), card, i => { this.card = cards[i]; this.show(); }),
      choice("Format", names, format, i => { this.format = names[i]; this.show(); }),
      group("Work", ...presets),
      group("Operations per byte", this.range));
    const drag = event => {
      const { x } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
      const [left, , width] = this.data.axes.box;
      this.set(2 ** (low + (high - low) * (x - left) / width));
    };
    this.svg.addEventListener("pointerdown", event => {
      if (event.button) return;
      this.svg.setPointerCapture(event.pointerId);
      drag(event);
    });
    this.svg.addEventListener("pointermove", event => { if (this.svg.hasPointerCapture(event.pointerId)) drag(event); });
    this.set(intensity);
  }

  of(work) {
    return work.operations / (work.numbers * Object.fromEntries(this.data.formats)[this.format]);
  }

  set(intensity) {
    const [low, high] = this.data.axes.intensities;
    this.intensity = Math.min(2 ** high, Math.max(2 ** low, intensity));
    this.show();
  }

  show() {
    if (!this.range) return;
    const { card, format, intensity } = this, { intensities: [low, high], rates: [least, most], box: [left, top, width, height] } = this.data.axes;
    const at = i => this.constructor.attainable(card, format, i);
    const x = i => left + width * (Math.log2(i) - low) / (high - low), y = rate => top + height * (most - Math.log10(rate)) / (most - least);
    const place = (element, i) => element.setAttribute("transform", `translate(${x(i)} ${y(at(i).rate)})`);
    const { peak, rate, bend } = at(intensity);
    this.querySelector(".roof").setAttribute("d", "M" + [2 ** low, bend, 2 ** high].map(i => `${x(i)} ${y(at(i).rate)}`).join("L"));
    this.querySelectorAll(".work").forEach((work, i) => place(work, this.of(this.data.works[i])));
    place(this.querySelector(".mark"), intensity);
    this.querySelector(".mark path").setAttribute("d", `M0 0V${top + height - y(rate)}`);
    const [bandwidth, [name, value], [, source]] = [...this.querySelectorAll("tr")].map(row => [...row.cells]);
    bandwidth[1].textContent = `${Math.round(card.bandwidth / 1e9).toLocaleString("en-US")} GB/s`;
    name.textContent = `peak in ${format}`;
    value.textContent = `${significant(peak / 1e12, 4)} trillion operations a second`;
    source.textContent = card.source;
    this.range.value = Math.log2(intensity);
    this.range.setAttribute("aria-valuetext", `${significant(intensity)} operations per byte`);
    const without = format in card.peaks ? "" : ` It has no units for ${format}, and computes in float32.`;
    const said = `Intensity ${significant(intensity)} on the ${card.name} in ${format}: ${intensity >= bend ? "compute-bound" : "memory-bound"}, at most `
      + `${significant(rate / 1e12)} trillion operations a second, ${significant(100 * rate / peak)}% of the peak. The roof bends at ${significant(bend)} operations per byte.${without}`;
    this.svg.setAttribute("aria-label", `On logarithmic axes a slope, then a flat roof: operations per byte across, operations a second up. ${said}`);
    clearTimeout(this.later);  // said once the hand rests, not at every pixel
    this.later = setTimeout(() => { this.says.textContent = said; }, 150);
  }
});

function significant(value, digits = 3) {
  return String(Number(value.toPrecision(digits)));
}
