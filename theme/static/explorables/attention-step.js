// Walks through the worked example: one word at a time, one stage at a time. Without this script all steps stand below each other.
// The live figure is a copy of the first; changing the word copies the other steps' texts and styles into it, so that it moves.
const STAGES = ["the states", "scores", "weights", "context"];
let count = 0;

customElements.define("attention-step", class extends HTMLElement {
  connectedCallback() {
    if (this.live) return;
    this.steps = [...this.querySelectorAll(".step")];
    this.live = this.steps[0].cloneNode(true);
    this.live.classList.add("live");
    this.live.querySelector(".says").setAttribute("role", "status");
    const words = this.steps.map(step => step.querySelector(".asks b").textContent);
    this.prepend(
      this.choice("Word to write", words, 0, i => morph(this.live, this.steps[i]), "de"),
      this.choice("Show", STAGES, 3, i => { this.dataset.stage = i; }),
      this.live);
    this.classList.add("ready");
  }

  // A named group of radio buttons: arrow keys move within it, Tab leaves it.
  choice(title, labels, chosen, act, lang) {
    const group = document.createElement("fieldset"), legend = group.appendChild(document.createElement("legend")), name = `step-${count++}`;
    legend.textContent = title;
    labels.forEach((text, i) => {
      const label = group.appendChild(document.createElement("label")), input = label.appendChild(document.createElement("input"));
      if (lang) label.lang = lang;
      Object.assign(input, { type: "radio", name, checked: i === chosen });
      input.addEventListener("change", () => act(i));
      label.append(text);
    });
    act(chosen);
    return group;
  }
});

function morph(to, from) {
  if (to.nodeType === Node.TEXT_NODE) {
    if (to.data !== from.data) to.data = from.data;
    return;
  }
  for (const name of ["style", "aria-label"]) if (from.hasAttribute(name)) to.setAttribute(name, from.getAttribute(name));
  to.childNodes.forEach((child, i) => morph(child, from.childNodes[i]));
}
