// The layers of chapters 01, 02, 05, 06, 07 and 08, as their equations read. A vector is a Float32Array; a sequence is an array of
// vectors; a tensor is what living.js makes of a weights file, { shape, data }, its numbers row by row.

// W x + b; W (rows, columns), x (columns), b (rows) or none.
living.linear = (W, x, b) => {
  const [rows, columns] = W.shape, w = W.data, y = new Float32Array(rows);
  if (x.length !== columns) throw new RangeError(`W (${rows}, ${columns}) meets a vector of ${x.length}`);
  for (let i = 0; i < rows; i++) {
    let sum = b ? b.data[i] : 0;
    for (let j = 0, at = i * columns; j < columns; j++) sum += w[at + j] * x[j];
    y[i] = sum;
  }
  return y;
};

living.embedding = (table, id) => table.data.subarray(id * table.shape[1], (id + 1) * table.shape[1]);

// [a; b]
living.concat = (...vectors) => {
  const joined = new Float32Array(vectors.reduce((length, vector) => length + vector.length, 0));
  let place = 0;
  for (const vector of vectors) { joined.set(vector, place); place += vector.length; }
  return joined;
};

living.sigmoid = x => 1 / (1 + Math.exp(-x));

// One step of a gated recurrent unit; its matrices hold the parts r, z, n below each other, as chapter 01 stacks them.
//   r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)        z = sigmoid(W_iz x + b_iz + W_hz h + b_hz)
//   n = tanh(W_in x + b_in + r * (W_hn h + b_hn))     h' = (1 - z) * n + z * h
living.gruCell = ({ weightIh, weightHh, biasIh, biasHh }, x, h) => {
  const H = h.length, next = new Float32Array(H);
  const fromInput = living.linear(weightIh, x, biasIh), fromHidden = living.linear(weightHh, h, biasHh);
  for (let i = 0; i < H; i++) {
    const r = living.sigmoid(fromInput[i] + fromHidden[i]);
    const z = living.sigmoid(fromInput[H + i] + fromHidden[H + i]);
    const n = Math.tanh(fromInput[2 * H + i] + r * fromHidden[2 * H + i]);
    next[i] = (1 - z) * n + z * h[i];
  }
  return next;
};

// exp(score) / sum of exp(score), shared out among the keys that the mask allows; all zeros where it allows none.
living.maskedSoftmax = (scores, mask) => {
  const largest = Math.max(...scores.filter((_, j) => mask[j]));
  const exponentials = scores.map((score, j) => mask[j] ? Math.exp(score - largest) : 0);
  const sum = exponentials.reduce((total, exponential) => total + exponential, 0);
  return exponentials.map(exponential => sum ? exponential / sum : 0);
};

// The mean of the values under the weights: sum over j of weights_j values_j.
living.blend = (weights, values) => {
  const context = new Float32Array(values[0].length);
  for (let j = 0; j < values.length; j++) {
    const weight = weights[j], value = values[j];
    for (let i = 0; i < context.length; i++) context[i] += weight * value[i];
  }
  return context;
};

// score_j = v_a . tanh(W_a query + U_a key_j). The keys are the same at every step, so U_a key_j comes in computed.
living.additiveAttention = ({ Wa, va }, query, projectedKeys, values, mask) => {
  const asked = living.linear(Wa, query), v = va.data, scores = [];
  for (const key of projectedKeys) {  // plain loops: most of the figure's time is spent here
    let score = 0;
    for (let i = 0; i < v.length; i++) score += v[i] * Math.tanh(asked[i] + key[i]);
    scores.push(score);
  }
  const weights = living.maskedSoftmax(scores, mask);
  return { context: living.blend(weights, values), weights, scores };
};

living.argmax = vector => vector.indexOf(Math.max(...vector));

// Feed back the likeliest token until the model ends the sentence, or has written as much as it may. Each entry of the
// trace is what `step` gave, with the token that was taken: { token, logits, state, ... }.
living.greedyDecode = (step, state, { bos, eos, most }) => {
  const trace = [];
  for (let token = bos; token !== eos && trace.length < most;) {
    const made = step(token, trace.length ? trace.at(-1).state : state);
    token = living.argmax(made.logits);
    trace.push({ ...made, token });
  }
  return trace;
};

living.add = (a, b) => a.map((number, i) => number + b[i]);

// (x - mean) / sqrt(variance + epsilon), times a gain and plus a bias for every feature.
living.layerNorm = ({ W: gain, b: bias }, x, epsilon = 1e-5) => {
  let mean = 0, variance = 0;
  for (const number of x) mean += number / x.length;
  for (const number of x) variance += (number - mean) ** 2 / x.length;
  const root = Math.sqrt(variance + epsilon);
  return x.map((number, i) => (number - mean) / root * gain.data[i] + bias.data[i]);
};

// x Phi(x), with the normal distribution's Phi(x) = (1 + erf(x / sqrt 2)) / 2. JavaScript has no erf; this one is
// Abramowitz and Stegun's 7.1.26, off by 1.5e-7 at most.
living.gelu = x => {
  const z = Math.abs(x) / Math.SQRT2, t = 1 / (1 + .3275911 * z);
  const tail = t * (.254829592 + t * (-.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) * Math.exp(-z * z);
  return x * (x < 0 ? tail : 2 - tail) / 2;
};

// Multi-head attention of one query (D) over keys and values, each a list of vectors (D): every head has its own part of
// the features, weights = softmax(query . key / sqrt d), and the heads' outputs stand one after the other.
living.attendInHeads = (heads, query, keys, values) => {
  const d = query.length / heads, output = new Float32Array(query.length), weights = [];
  for (let h = 0; h < heads; h++) {
    const from = h * d, scores = keys.map(key => {
      let dot = 0;
      for (let i = from; i < from + d; i++) dot += query[i] * key[i];
      return dot / Math.sqrt(d);
    });
    const shares = living.maskedSoftmax(scores, scores.map(() => true));
    shares.forEach((share, j) => { for (let i = from; i < from + d; i++) output[i] += share * values[j][i]; });
    weights.push(shares);
  }
  return { output, weights };
};

// sin(t / 10000^(2i / D)) and cos of the same, side by side: where a token stands, as a vector of D numbers.
living.sinusoidalEncoding = (t, D) => Float32Array.from({ length: D }, (_, j) => {
  const angle = t / 10_000 ** ((j - j % 2) / D);
  return j % 2 ? Math.cos(angle) : Math.sin(angle);
});

// The layers of an encoder, or of a decoder alone, whose tensors are named `<before>.0.norm1.weight` and so on: for each
// its linear maps as functions, and the gains and biases of its norms. A decoder that reads an encoder's memory has `cross`
// too, the maps of its cross-attention, and a third norm.
living.layersOf = (tensors, before) => {
  const layers = [];
  for (let i = 0; `${before}.${i}.norm1.weight` in tensors; i++) {
    const of = name => ({ W: tensors[`${before}.${i}.${name}.weight`], b: tensors[`${before}.${i}.${name}.bias`] });
    const map = name => { const { W, b } = of(name); return x => living.linear(W, x, b); };
    const maps = attention => ["W_Q", "W_K", "W_V", "W_O"].map(name => map(`${attention}.${name}`));
    const [Q, K, V, O] = maps("self_attention");
    const [into, outOf] = ["linear1", "linear2"].map(name => map(`feed_forward.${name}`));
    layers.push({ Q, K, V, O, into, outOf, norm1: of("norm1"), norm2: of("norm2") });
    if (`${before}.${i}.norm3.weight` in tensors) {
      const [Q, K, V, O] = maps("cross_attention");
      Object.assign(layers[i], { cross: { Q, K, V, O }, norm3: of("norm3") });
    }
  }
  return layers;
};
