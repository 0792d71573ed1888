// What all living figures share: the scripts that come with the first touch, and the weights that some of them bring.
// `living.weights(name, header, block)` is called by a weights file; benchmarks/living/weights.py describes its format.
// `living.data(name, value)` is called by one of other numbers.
// A script element loads them, and no fetch: a page that is opened from a folder may not fetch a file beside it. In a
// notebook there is no file beside it: the page holds them itself, as text (course/figures/notebook.py).
const living = (() => {
  const here = document.currentScript.src, coming = new Map(), models = new Map();
  const SLICE = 12;  // milliseconds of work, until the page may do something else

  // Lets the page do something else: paint what is there, answer the next key.
  const pause = () => new Promise(go => setTimeout(go));

  // Runs a generator to its end in slices with a pause between two. Returns what it returns; nothing where `wanted` says no.
  async function inSlices(work, wanted = () => true) {
    for (let begin = performance.now(); ;) {
      const { done, value } = work.next();
      if (done) return value;
      if (performance.now() - begin < SLICE) continue;
      await pause();
      if (!wanted()) return;
      begin = performance.now();
    }
  }

  // Load a script of this folder, once; a second call waits for the first, and tries again where that one failed.
  function script(name, version) {
    if (!coming.has(name)) coming.set(name, new Promise((loaded, failed) => {
      const element = document.createElement("script"), held = document.getElementById(`${name}.js`);
      element.onload = loaded;
      element.onerror = () => { coming.delete(name); element.remove(); failed(new Error(`${name} was not loaded`)); };
      if (held) element.textContent = held.textContent; else element.src = new URL(`${name}.js?v=${version}`, here);
      document.head.append(element);
      if (held) loaded();
    }));
    return coming.get(name);
  }

  // A model's header and tensors. Fails where the file is missing, or cut so that it does not say its weights.
  async function model(name, version) {
    await script(name, version);
    if (!models.has(name)) { coming.delete(name); throw new Error(`${name} is not whole`); }
    const read = await models.get(name)();
    await pause();  // what is computed with it is another piece of work
    return read;
  }

  // How many numbers a tensor of this shape has.
  const size = shape => shape.reduce((product, size) => product * size, 1);

  // The header, and by name { shape, data }: each tensor's numbers row by row. Float16 has a sign, five bits of exponent,
  // ten of fraction, and float32 the same with eight and 23: the bits in their places make 2^-112 of the number, as its
  // exponents count from 127 and not from 15. No weight is infinite.
  function* read(header, text) {
    const tensors = {};
    let place = 0;
    for (const [tensor, shape] of header.tensors) {
      const data = new Float32Array(size(shape)), bits = new Uint32Array(data.buffer);
      for (let i = 0; i < data.length; i++, place += 2) {
        const half = text.charCodeAt(place) | text.charCodeAt(place + 1) << 8;
        bits[i] = (half & 0x8000) << 16 | (half & 0x7fff) << 13;
        data[i] *= 2 ** 112;
      }
      tensors[tensor] = { shape, data };
      yield;
    }
    return { ...header, tensors };
  }

  // What a weights file calls: it is read when a figure asks for the model, once. A block that was cut is none.
  function weights(name, header, block) {
    const text = atob(block);
    let made;
    if (text.length === 2 * header.tensors.reduce((sum, [, shape]) => sum + size(shape), 0)) models.set(name, () => made ??= inSlices(read(header, text)));
  }

  // What a file holds that brings no weights.
  function data(name, value) { models.set(name, () => value); }

  // <tag class="name">text</tag>
  function make(tag, name = "", text = "") {
    const element = document.createElement(tag);
    element.className = name;
    element.textContent = text;
    return element;
  }

  // An input in a label, with its name before it: a text, or an element that changes. The label is its parent.
  function field(name, attributes, tag = "input") {
    const input = make(tag);
    for (const [key, value] of Object.entries(attributes)) input.setAttribute(key, value);
    make("label").append(name instanceof Element ? name : make("span", "", name), input);
    return input;
  }

  // A range whose value `shown` repeats beside its name; a screen reader hears the value from the range itself.
  function slider(name, attributes) {
    const label = make("span", "", `${name} `), shown = label.appendChild(make("b"));
    shown.setAttribute("aria-hidden", "true");
    return Object.assign(field(label, { type: "range", ...attributes }), { shown });
  }

  // With a true minus sign, and no minus before a zero.
  function number(value, digits = 2) {
    const text = value.toFixed(digits);
    return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
  }

  // A button that acts when it is pressed.
  function button(text, act) {
    const made = make("button", "", text);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  }

  // Buttons under one name. `act` gets the place of the one that was pressed; of a choice, that one is marked.
  function group(name, texts, act, chosen = null) {
    const around = make("div", "group"), buttons = texts.map((text, i) => button(text, () => { if (chosen !== null) mark(i); act(i); }));
    const mark = place => buttons.forEach((one, i) => one.setAttribute("aria-pressed", i === place));
    around.setAttribute("role", "group");
    around.setAttribute("aria-label", name);
    around.append(Object.assign(make("span", "", name), { ariaHidden: "true" }), ...buttons);
    if (chosen !== null) mark(chosen);
    return around;
  }

  // { numbers } of a text, or { error }: a sentence that says what to type instead.
  function readNumbers(text, most) {
    const words = text.split(/[\s,;]+/u).filter(Boolean);
    const shown = word => `“${[...word].slice(0, 12).join("")}${[...word].length > 12 ? "…" : ""}”`;
    if (!words.length) return { error: "Type a number from 1 to 999, or several with commas between them." };
    const other = words.find(word => !/^[0-9]+$/.test(word));
    if (other) return { error: `${shown(other)} is no whole number in digits. Type one such as 321.` };
    const outside = words.find(word => Number(word) < 1 || Number(word) > 999);
    if (outside) return { error: `${shown(outside)} is out of range: the models know the numbers from 1 to 999.` };
    if (words.length > most) return { error: `These are ${words.length} numbers; the figure takes ${most} at most.` };
    return { numbers: words.map(Number) };
  }

  // A figure that comes alive: most in a copy of their still picture, `live`. What it computes with comes with the first touch, by `load`; where
  // that fails the still picture stands, and `missing` says so.
  class Figure extends HTMLElement {
    missing = "The model’s weights could not be loaded. The picture below was computed before, and is right; another touch tries again.";

    // The live copy, by its name in words, and the line that says what it shows.
    copyStill(name) {
      this.live = this.querySelector(".still").cloneNode(true);
      this.live.classList.replace("still", "live");
      this.live.setAttribute("aria-label", name);
      this.makeSays();
    }

    makeSays() {
      this.says = make("p", "says");
      this.says.setAttribute("role", "status");
    }

    tell(text) { this.says.textContent = text; }

    async loaded() {
      try {
        await this.load();
        return true;
      } catch {
        this.classList.remove("ready");
        this.live.hidden = true;
        this.tell(this.missing);
        return false;
      }
    }
  }

  return { script, pause, inSlices, model, weights, data, make, number, field, slider, button, group, readNumbers, Figure };
})();
