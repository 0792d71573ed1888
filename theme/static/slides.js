// Keys for a deck: on, back, first, last, and the whole screen. Without this, a deck scrolls from slide to slide.
const slides = [...document.querySelectorAll(".slide")];
const here = () => slides.findIndex(slide => slide.getBoundingClientRect().bottom > innerHeight / 2);
const go = number => {
  const slide = slides[Math.max(0, Math.min(slides.length - 1, number))];
  slide.scrollIntoView();
  history.replaceState(null, "", `#${slide.id}`);
};
const keys = {
  ArrowRight: () => go(here() + 1), ArrowDown: () => go(here() + 1), PageDown: () => go(here() + 1), " ": () => go(here() + 1),
  ArrowLeft: () => go(here() - 1), ArrowUp: () => go(here() - 1), PageUp: () => go(here() - 1),
  Home: () => go(0), End: () => go(slides.length - 1), f: () => document.documentElement.requestFullscreen?.(),
};
addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
  event.preventDefault();
  keys[event.key]();
});
