// The language model of chapter 07, from its weights: `follow` reads a text with a key-value cache, `samplingDistribution`
// and `draw` choose what comes next.
living.causalLanguageModel = ({ tensors, characters, num_heads: heads }) => {
  const { add, attendInHeads, embedding, gelu, layerNorm, linear } = living;
  const E = tensors["token_embedding.weight"], P = tensors["positions.weight"];
  const norm = { W: tensors["norm.weight"], b: tensors["norm.bias"] }, layers = living.layersOf(tensors, "layers");

  // What has been read: the tokens, their logits, and each layer's keys and values.
  const emptyCache = () => ({ tokens: [], logits: [], weights: [], keys: layers.map(() => []), values: layers.map(() => []) });

  // Read one token more. There is no mask to be seen: the cache holds nothing but what came before.
  //   x = E[token] + P[position]
  //   in every layer:  x = x + W_O attention(norm1(x)),  then  x = x + W_2 gelu(W_1 norm2(x))
  //   logits = E norm(x)
  function read(cache, token) {
    let x = add(embedding(E, token), embedding(P, cache.tokens.length));
    const seen = layers.map(({ Q, K, V, O, into, outOf, norm1, norm2 }, i) => {
      const normed = layerNorm(norm1, x);
      cache.keys[i].push(K(normed));
      cache.values[i].push(V(normed));
      const { output, weights } = attendInHeads(heads, Q(normed), cache.keys[i], cache.values[i]);
      x = add(x, O(output));
      x = add(x, outOf(into(layerNorm(norm2, x)).map(gelu)));
      return weights;
    });
    cache.tokens.push(token);
    cache.logits.push(linear(E, layerNorm(norm, x)));
    cache.weights.push(seen);
  }

  // Make the cache that of these tokens, as many as there are positions at most. What both begin with is kept, and only
  // the rest goes through the layers. Returns how many did.
  function follow(cache, tokens) {
    let kept = 0;
    while (kept < Math.min(tokens.length, cache.tokens.length) && tokens[kept] === cache.tokens[kept]) kept++;
    for (const list of [cache.tokens, cache.logits, cache.weights, ...cache.keys, ...cache.values]) list.length = kept;
    for (const token of tokens.slice(kept)) read(cache, token);
    return tokens.length - kept;
  }

  // How many multiplications reading the tokens at these places takes, `start` to `end` - 1: all maps of the layers, each
  // query with the keys so far and the weights with the values, and the output.
  function multiplications(start, end) {
    const [V, D] = E.shape, inLayers = Object.entries(tensors).filter(([name, { shape }]) => name.startsWith("layers.") && shape.length === 2);
    const maps = inLayers.reduce((sum, [, { data }]) => sum + data.length, 0);
    let sum = 0;
    for (let t = start; t < end; t++) sum += maps + layers.length * 2 * D * (t + 1) + V * D;
    return sum;
  }

  return { characters, window: P.shape[0], emptyCache, follow, multiplications };
};

// Ids, the most likely first.
living.byLikelihood = probabilities => [...probabilities.keys()].sort((a, b) => probabilities[b] - probabilities[a]);

// Logits to the probabilities that are drawn from, as exercise 7.5 has it: temperature, then the topK likeliest, then of
// these the fewest that have topP together. Infinity and 1 leave the last two out.
living.samplingDistribution = (logits, { temperature = 1, topK = Infinity, topP = 1 } = {}) => {
  const top = living.argmax(logits);
  if (temperature === 0) return Array.from(logits, (_, i) => Number(i === top));
  const softmax = living.maskedSoftmax(Array.from(logits, logit => logit / temperature), Array.from(logits, () => true));
  const keep = (probabilities, kept) => {
    const sum = kept.reduce((total, i) => total + probabilities[i], 0), stay = new Set(kept);
    return probabilities.map((probability, i) => stay.has(i) ? probability / sum : 0);
  };
  const order = living.byLikelihood(softmax), fewer = keep(softmax, order.slice(0, topK));
  if (topP >= 1) return fewer;
  let together = 0;
  return keep(fewer, order.filter(i => { const stays = together < topP; together += fewer[i]; return stays; }));
};

// The id that a number from 0 to 1 falls on, where the likeliest has the first piece.
living.draw = (probabilities, number) => {
  const order = living.byLikelihood(probabilities).filter(i => probabilities[i] > 0);
  let together = 0;
  return order.find(i => (together += probabilities[i]) > number) ?? order.at(-1);
};

// Numbers from 0 to 1 without end, the same for the same seed: mulberry32 (Tommy Ettinger, 2017).
living.uniforms = seed => () => {
  seed = seed + 0x6D2B79F5 | 0;
  let mixed = Math.imul(seed ^ seed >>> 15, seed | 1);
  mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
  return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
};
