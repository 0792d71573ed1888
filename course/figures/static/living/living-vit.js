// A digit to draw, and what chapter 08's Vision Transformer makes of it. The live figure is a copy of the still picture,
// with pixels that can be painted; without its weights the still picture stands.
(() => {
  const SIZE = 8, PATCH = 2, GRID = SIZE / PATCH;  // pixels a side, of the picture and of a patch; patches a side
  const MARGIN = 4, WIDE = SIZE + 2 * MARGIN;  // what is moved out of the picture by up to so many pixels is kept
  const PEN = 1.25;  // full ink up to a quarter of a pixel from the pen's middle, none from here on, and even between
  const QUIET = 400;  // milliseconds without a touch until a screen reader is told
  const TOOLS = { draw: "Draw", erase: "Erase", move: "Move" };
  const MOVES = [["left", "←", 0, -1], ["up", "↑", -1, 0], ["down", "↓", 1, 0], ["right", "→", 0, 1]];
  const STEPS = { ArrowLeft: [0, -1], ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowRight: [0, 1] };

  const range = count => [...Array(count).keys()];
  const clamp = (number, least, most) => Math.min(Math.max(number, least), most);
  const shown = number => number.toFixed(2).replace(/^-(?!0\.00)/, "−").replace("-", "");
  const moved = (pixels, negative, positive) => pixels ? `${Math.abs(pixels)} ${pixels < 0 ? negative : positive}` : "";

  // How far the middle of a pixel is from a line between two points.
  function distance(row, column, [x0, y0], [x1, y1]) {
    const x = column + .5, y = row + .5, long = (x1 - x0) ** 2 + (y1 - y0) ** 2;
    const along = long ? clamp(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / long, 0, 1) : 0;
    return Math.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0));
  }

  customElements.define("living-vit", class extends living.Figure {
    missing = "The model’s weights could not be loaded. The picture below was computed before, and is right; an example tries again.";

    connectedCallback() {
      if (this.controls) return;
      this.start = JSON.parse(this.getAttribute("start"));
      this.patch = this.start.patch;
      this.tool = "draw";
      this.copyStill("Your drawing, as the model reads it");
      this.rows = [...this.live.querySelectorAll("tbody tr td")];
      this.maps = [...this.live.querySelectorAll(".cells")];
      this.names = [...this.live.querySelectorAll(".map p")].map(name => name.textContent);
      this.buildControls();
      this.buildBoard();
      this.prepend(this.controls, this.live, this.says);  // so that a longer sentence moves no pixel under the pen
      this.put(this.start.ink);
      this.paint();
      this.classList.add("ready");
    }

    disconnectedCallback() { clearTimeout(this.quiet); }

    buildControls() {
      this.controls = living.make("div", "controls");
      const group = (name, buttons) => {
        const around = this.controls.appendChild(living.make("div", "group"));
        around.setAttribute("role", "group");
        around.setAttribute("aria-label", name);
        around.append(Object.assign(living.make("span", "", name), { ariaHidden: "true" }));
        return buttons.map(([text, label, action]) => {
          const button = around.appendChild(living.make("button", "", text));
          button.type = "button";
          if (label) button.setAttribute("aria-label", label);
          button.addEventListener("click", action);
          return button;
        });
      };
      group("Test digit", range(10).map(digit => [digit, `Example ${digit}`, () => this.example(digit)]));
      const tools = Object.entries(TOOLS), use = name => {
        this.tool = name;
        tools.forEach(([other], i) => buttons[i].setAttribute("aria-pressed", other === name));
        this.board.classList.toggle("move", name === "move");
      };
      const buttons = group("Pointer", tools.map(([name, text]) => [text, "", () => use(name)]));
      buttons.forEach((button, i) => button.setAttribute("aria-pressed", i === 0));
      group("A pixel", MOVES.map(([name, text, down, right]) => [text, `Move ${name}`, () => this.move(down, right)]));
      group("Take away", [["Wipe the marked patch", "", () => this.wipe()], ["Clear", "", () => { this.put(Array(SIZE * SIZE).fill(0)); this.changed(); }]]);
    }

    // The picture's pixels as a grid for mouse, touch and keys. One pixel at a time can be reached by the tab key.
    buildBoard() {
      this.board = this.live.querySelector(".picture");
      this.board.setAttribute("role", "grid");
      this.board.setAttribute("aria-label", "Your drawing, 8 rows of 8 pixels. Arrow keys go from pixel to pixel, space paints or rubs out.");
      for (const row of this.board.children) row.setAttribute("role", "row");
      this.pixels = [...this.board.querySelectorAll("span")];
      this.pixels.forEach(pixel => { pixel.setAttribute("role", "gridcell"); pixel.tabIndex = -1; });
      const row = Math.floor(this.patch / GRID) * PATCH, column = this.patch % GRID * PATCH;
      this.pixels[row * SIZE + column].tabIndex = 0;
      this.board.addEventListener("keydown", event => this.key(event));
      this.board.addEventListener("focusin", event => this.mark(this.pixels.indexOf(event.target)));
      this.board.addEventListener("pointerdown", event => this.press(event));
      this.board.addEventListener("pointermove", event => { if (this.last) this.drag(event); });
      for (const name of ["pointerup", "pointercancel"]) this.board.addEventListener(name, () => { this.last = null; });
    }

    // ---- the drawing

    put(sixteenths) {
      this.ink = new Float32Array(WIDE * WIDE);
      this.down = this.right = 0;
      sixteenths.forEach((ink, i) => { this.ink[this.at(Math.floor(i / SIZE), i % SIZE)] = ink / 16; });
    }

    // Where a pixel of the picture stands in what is kept of the drawing.
    at(row, column) { return (row - this.down + MARGIN) * WIDE + column - this.right + MARGIN; }

    image() { return range(SIZE).map(row => range(SIZE).map(column => this.inkAt(row, column))); }

    inkAt(row, column) {
      const y = row - this.down + MARGIN, x = column - this.right + MARGIN;
      return Math.min(x, y) < 0 || Math.max(x, y) >= WIDE ? 0 : this.ink[y * WIDE + x];
    }

    point(event) {
      const box = this.board.getBoundingClientRect();
      return [(event.clientX - box.left) / box.width * SIZE, (event.clientY - box.top) / box.height * SIZE];
    }

    press(event) {
      if (event.button) return;
      event.preventDefault();
      this.board.setPointerCapture(event.pointerId);
      this.last = this.point(event);
      const [column, row] = this.last.map(place => clamp(Math.floor(place), 0, SIZE - 1));
      this.focusOn(row, column, false);
      if (this.tool !== "move") this.stroke(this.last, this.last);
    }

    drag(event) {
      const now = this.point(event);
      if (this.tool !== "move") {
        this.stroke(this.last, now);
        this.last = now;
        return;
      }
      const [right, down] = now.map((place, i) => Math.round(place - this.last[i]));
      if (right || down) {
        this.last = [this.last[0] + right, this.last[1] + down];
        this.move(down, right);
      }
    }

    stroke(from, to) {
      for (const row of range(SIZE)) for (const column of range(SIZE)) {
        const pen = clamp(PEN - distance(row, column, from, to), 0, 1), place = this.at(row, column);
        this.ink[place] = this.tool === "erase" ? Math.min(this.ink[place], 1 - pen) : Math.max(this.ink[place], pen);
      }
      this.changed();
    }

    move(down, right) {
      this.down = clamp(this.down + down, -MARGIN, MARGIN);
      this.right = clamp(this.right + right, -MARGIN, MARGIN);
      this.changed();
    }

    wipe() {
      const top = Math.floor(this.patch / GRID) * PATCH, left = this.patch % GRID * PATCH;
      for (const row of range(PATCH)) for (const column of range(PATCH)) this.ink[this.at(top + row, left + column)] = 0;
      this.changed();
    }

    key(event) {
      const at = this.pixels.indexOf(event.target), row = Math.floor(at / SIZE), column = at % SIZE;
      if (event.key in STEPS) {
        const [down, right] = STEPS[event.key];
        this.focusOn(clamp(row + down, 0, SIZE - 1), clamp(column + right, 0, SIZE - 1));
      } else if (event.key === " " || event.key === "Enter") {
        this.ink[this.at(row, column)] = this.inkAt(row, column) > 0 ? 0 : 1;
        this.changed();
      } else return;
      event.preventDefault();
    }

    focusOn(row, column, focus = true) {
      for (const pixel of this.pixels) pixel.tabIndex = -1;
      const pixel = this.pixels[row * SIZE + column];
      pixel.tabIndex = 0;
      if (focus) pixel.focus(); else this.mark(row * SIZE + column);
    }

    mark(at) {
      const patch = Math.floor(Math.floor(at / SIZE) / PATCH) * GRID + Math.floor(at % SIZE / PATCH);
      if (patch === this.patch) return;
      this.patch = patch;
      this.changed();
    }

    // ---- what the model makes of it

    // The model, once: its scripts come with the first touch.
    async load() {
      if (this.model) return;
      const version = this.getAttribute("version");
      await living.script("layers", version);
      await living.script("vision-transformer", version);
      this.file = await living.model("vit", version);
      this.model = living.visionTransformer(this.file);
    }

    async example(digit) {
      if (!await this.loaded()) return;
      this.put(this.file.examples.find(([label]) => label === digit)[1]);
      this.changed();
    }

    async changed() {
      this.paint();
      if (await this.loaded()) this.show();
    }

    paint() {
      this.image().flat().forEach((ink, i) => {
        this.pixels[i].style.setProperty("--ink", ink.toFixed(3));
        this.pixels[i].setAttribute("aria-label", `row ${Math.floor(i / SIZE) + 1}, column ${i % SIZE + 1}, ink ${ink.toFixed(2)}`);
      });
    }

    show() {
      this.classList.add("ready");
      this.live.hidden = false;
      const { probabilities, weights } = this.model.read(this.image()), [own] = weights.at(-1);
      this.rows.forEach((cell, digit) => {
        cell.style.setProperty("--share", probabilities[digit].toFixed(4));
        cell.textContent = shown(probabilities[digit]);
      });
      const attention = own[0].map((_, t) => own.reduce((sum, head) => sum + head[t], 0) / own.length);
      const rollout = [...living.attentionRollout(weights)[0]];
      [attention.slice(1), rollout.slice(1), this.model.alike(this.patch)].forEach((numbers, i) => this.fill(i, numbers));
      for (const cell of this.querySelectorAll(".measured td")) {
        cell.classList.toggle("now", Number(cell.dataset.down) === this.down && Number(cell.dataset.right) === this.right);
      }
      clearTimeout(this.quiet);
      this.quiet = setTimeout(() => this.tell(this.inWords(probabilities)), QUIET);
    }

    fill(map, numbers) {
      const most = Math.max(...numbers), texts = numbers.map(shown);
      [...this.maps[map].children].forEach((cell, n) => {
        cell.textContent = texts[n];
        cell.style.setProperty("--share", Math.max(0, numbers[n] / most).toFixed(3));
        cell.classList.toggle("marked", n === this.patch);
      });
      const rows = range(GRID).map(row => `row ${row + 1}: ${texts.slice(GRID * row, GRID * row + GRID).join(", ")}`);
      this.maps[map].setAttribute("aria-label", `${this.names[map]}, ${rows.join("; ")}`);
    }

    inWords(probabilities) {
      const [first, second] = range(10).sort((a, b) => probabilities[b] - probabilities[a]);
      const ink = this.image().flat().reduce((sum, number) => sum + number, 0), { least_ink: least, most_ink: most } = this.file;
      const away = [moved(this.down, "up", "down"), moved(this.right, "left", "right")].filter(Boolean).join(", ");
      const parts = [
        ink === 0 && "Nothing is drawn. The model has no way to say so: it must name a digit.",
        (ink > 0 && ink < least || ink > most) && `${ink < least ? "Less" : "More"} ink than any digit of its training: ${ink.toFixed(1)} pixels’ worth, not ${least.toFixed(1)} to ${most.toFixed(1)}.`,
        `Most likely ${first}, ${shown(probabilities[first])}; then ${second}, ${shown(probabilities[second])}.`,
        away && `Moved by ${away}.`,
        `Marked: patch ${Math.floor(this.patch / GRID) + 1}, ${this.patch % GRID + 1}.`,
      ];
      return parts.filter(Boolean).join(" ");
    }

    tell(text) {
      clearTimeout(this.quiet);
      super.tell(text);
    }
  });
})();
