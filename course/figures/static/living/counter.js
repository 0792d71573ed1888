// The model of section 5.8, from its weights: it names the hidden words of a sentence that counts four numbers on.
// `found` says what stands in the place of heads that are switched off: found[layer][head] is a vector of a head's own
// width, or null where the head works.
living.counter = ({ tensors, tokens, num_heads: heads, hidden_id: hiddenId, end_id: endId, epsilon }) => {
  const { add, attendInHeads, embedding, layerNorm, linear } = living;
  const part = name => ({ W: tensors[`${name}.weight`], b: tensors[`${name}.bias`] });
  const E = part("embedding").W, norm = part("encoder.norm"), output = part("output");
  const layers = living.layersOf(tensors, "encoder.layers"), D = E.shape[1], d = D / heads;
  const memory = new Map();

  const positions = [];

  // The heads' outputs one after the other, where some of them are switched off.
  function replace(attended, found) {
    const joined = attended.slice();
    found.forEach((vector, h) => { if (vector) joined.set(vector, h * d); });
    return joined;
  }

  //   x = E[word] + position
  //   in every layer:  x = x + W_O [head 0; head 1; ...] + b_O,  then  x = x + W_2 relu(W_1 norm2(x) + b_1) + b_2
  //   logits = W norm(x) + b

  // The stream that enters a layer, and what its heads find at some places. Both rest on the words and on the heads of
  // the layers below, so that they are kept, for each sentence, until one of those is switched.
  function enter(l, ids, places, found) {
    const name = `${l}: ${ids}`, key = [places, ...found.slice(0, l)].join(";"), kept = memory.get(name);
    if (kept?.key === key) return kept;
    const all = [...ids.keys()], { norm1, Q, K, V } = layers[l];
    const x = l ? leave(l - 1, ids, all, found) : ids.map((id, t) => add(embedding(E, id), positions[t] ??= living.sinusoidalEncoding(t, D)));
    const normed = x.map(vector => layerNorm(norm1, vector, epsilon)), keys = normed.map(K), values = normed.map(V);
    const made = { key, x, attended: places.map(t => attendInHeads(heads, Q(normed[t]), keys, values)) };
    memory.set(name, made);
    return made;
  }

  // The stream that leaves a layer at some places.
  function leave(l, ids, places, found) {
    const { x, attended } = enter(l, ids, places, found), { O, norm2, into, outOf } = layers[l];
    return places.map((t, i) => {
      const y = add(x[t], O(replace(attended[i].output, found[l])));
      return add(y, outOf(into(layerNorm(norm2, y, epsilon)).map(number => Math.max(0, number))));
    });
  }

  // The answers at some places of a sentence: { logits, weights } for each, weights by layer and head.
  function read(ids, places, found = layers.map(() => Array(heads).fill(null))) {
    const x = leave(layers.length - 1, ids, places, found);
    const weights = layers.map((_, l) => l < layers.length - 1
      ? (seen => places.map(t => seen[t].weights))(enter(l, ids, [...ids.keys()], found).attended)
      : enter(l, ids, places, found).attended.map(one => one.weights));
    return places.map((_, i) => ({
      logits: linear(output.W, layerNorm(norm, x[i], epsilon), output.b),
      weights: weights.map(layer => layer[i]),
    }));
  }

  // A sentence's words and the end as ids, and the same with some places hidden.
  const idsOf = words => [...words.map(word => tokens.indexOf(word)), endId];
  const hide = (ids, places) => ids.map((id, t) => places.includes(t) ? hiddenId : id);

  const zeros = new Float32Array(d);
  return { read, idsOf, hide, layers: layers.length, heads, zeros };
};
