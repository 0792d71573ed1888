// What explorables share: named groups of radio buttons; and <choose-section>, which shows the one section that is chosen.
let groups = 0;

// A named group of radio buttons: arrow keys move within it, Tab leaves it.
function choice(title, labels, chosen, act, lang) {
  const group = document.createElement("fieldset"), legend = group.appendChild(document.createElement("legend")), name = `choice-${groups++}`;
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

// Every combination of choices is a section of the page; data-groups names the groups, data-choice a section's labels.
// Without this script all sections stand below each other, as on paper.
customElements.define("choose-section", class extends HTMLElement {
  connectedCallback() {
    if (this.live) return;
    const sections = new Map([...this.querySelectorAll(".step")].map(section => [section.dataset.choice, section]));
    const columns = this.dataset.groups.split("|").map((_, g) => [...new Set([...sections.keys()].map(key => key.split("|")[g]))]);
    const chosen = columns.map(labels => labels[0]);
    this.live = document.createElement("div");
    this.live.className = "step live";
    const shown = this.live.appendChild(document.createElement("div")), says = this.live.appendChild(document.createElement("p"));
    says.className = "says";
    says.setAttribute("role", "status");
    const show = () => {
      const copy = sections.get(chosen.join("|")).cloneNode(true);
      copy.querySelectorAll("[id]").forEach(element => element.removeAttribute("id"));
      says.textContent = copy.querySelector(".says").textContent;
      copy.querySelector(".says").remove();
      shown.replaceChildren(...copy.childNodes);
    };
    this.prepend(...this.dataset.groups.split("|").map((title, g) => choice(title, columns[g], 0, i => { chosen[g] = columns[g][i]; show(); })), this.live);
    this.classList.add("ready");
  }
});

// With a true minus sign, and no minus before a zero.
function number(value, digits) {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "\u2212");
}

function vector(values) {
  return `(${values.map(value => number(value, 1)).join(", ")})`;
}
