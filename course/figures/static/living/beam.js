// Beam search as chapter 06 writes it, with what it kept and dropped on the way. `model` is living.transformer's: `start`
// reads a sentence, `fork` copies a state, `read` and `logitsOf` give the logits of the word after `token`.
// Each step is a list of hypotheses { tokens, total, score, parent, kept }, best first: those that are kept, and the first
// few that are not; `parent` is the place of what it extends, or stays, among those kept at the step before. A search stops
// after every hypothesis, so that it can go on later.
living.beamSearch = function* (model, ids, { bos, eos, most, width, penalty, dropped }) {
  const steps = [], ended = ({ tokens }) => tokens.at(-1) === eos;
  let kept = [{ tokens: [], total: 0, state: model.start(ids) }];

  // A hypothesis with every token behind it, the likeliest first; as many as could be kept or shown.
  function extended({ tokens, total, state }, parent) {
    const own = model.fork(state), stages = model.read(own, tokens.at(-1) ?? bos);
    const shares = living.logSoftmax(model.logitsOf(stages.at(-1).stream));
    return living.largest(shares, width + dropped).map(token => {
      const sum = total + shares[token];
      return { tokens: [...tokens, token], total: sum, score: sum / (tokens.length + 1) ** penalty, parent, state: own };
    });
  }

  while (steps.length < most && !(steps.length && kept.every(ended))) {
    const candidates = [];
    for (const [place, one] of kept.entries()) {
      yield;
      candidates.push(...steps.length && ended(one) ? [{ ...one, parent: place }] : extended(one, place));
    }
    candidates.sort((a, b) => b.score - a.score);
    kept = candidates.slice(0, width);
    steps.push(candidates.slice(0, width + dropped).map(({ state, ...one }, place) => ({ ...one, kept: place < width })));
  }
  return steps;
};

// log(exp(score) / sum of exp(score))
living.logSoftmax = scores => {
  const most = Math.max(...scores), sum = scores.reduce((total, score) => total + Math.exp(score - most), 0);
  return Array.from(scores, score => score - most - Math.log(sum));
};

// The places of the largest few, the largest first.
living.largest = (numbers, count) => [...numbers.keys()].sort((a, b) => numbers[b] - numbers[a]).slice(0, count);
