// Walks through the worked example: one word at a time, one stage at a time. Without this script all steps stand below each other.
// The live figure is a copy of the first; changing the word copies the other steps' texts and styles into it, so that it moves.
const STAGES = ["the states", "scores", "weights", "context"];

customElements.define("attention-step", class extends HTMLElement {
  connectedCallback() {
    if (this.live) return;
    this.steps = [...this.querySelectorAll(".step")];
    this.live = this.steps[0].cloneNode(true);
    this.live.classList.add("live");
    this.live.querySelector(".says").setAttribute("role", "status");
    const words = this.steps.map(step => step.querySelector(".asks b").textContent);
    this.prepend(
      choice("Word to write", words, 0, i => morph(this.live, this.steps[i]), "de"),
      choice("Show", STAGES, 3, i => { this.dataset.stage = i; }),
      this.live);
    this.classList.add("ready");
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
