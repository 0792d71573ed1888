// The two layers of attention of section 7.6, from their weights: they read a string of symbols, and say at each place what
// they expect next.
living.attentionReader = ({ tensors, symbols }) => {
  const { add, attendInHeads, embedding, layerNorm, linear } = living;
  const part = name => ({ W: tensors[`${name}.weight`], b: tensors[`${name}.bias`] });
  const E = part("embedding").W, P = tensors.positions, output = part("output");
  const layers = [0, 1].map(l => ({
    norm: part(`norms.${l}`),
    maps: ["W_Q", "W_K", "W_V", "W_O"].map(name => { const { W, b } = part(`attentions.${l}.${name}`); return x => linear(W, x, b); }),
  }));
  const positions = Array.from({ length: P.shape[0] }, (_, t) => embedding(P, t));

  // Whether place t may look at place j, by the names that layer 0 has for it; place 0 keeps itself. Every layer is causal.
  const looks = {
    "everywhere": () => true,
    "not at the place before": (t, j) => t - j !== 1,
    "not at the place two before": (t, j) => t - j !== 2,
    "only at the place before": (t, j) => t - j === 1 || t === 0,
  };

  // x = E[token];  in every layer:  n = norm(x),  x = x + attention(n + position, n + position, n);  logits = W x + b
  function read(tokens, look = "everywhere") {
    let x = tokens.map(token => embedding(E, token));
    const weights = layers.map(({ norm, maps: [Q, K, V, O] }, l) => {
      const what = x.map(vector => layerNorm(norm, vector)), where = what.map((vector, t) => add(vector, positions[t]));
      const keys = where.map(K), values = what.map(V), may = l ? looks.everywhere : looks[look];
      const attended = where.map((vector, t) => {
        const at = [...tokens.keys()].filter(j => j <= t && may(t, j));
        const { output: found, weights: [shares] } = attendInHeads(1, Q(vector), at.map(j => keys[j]), at.map(j => values[j]));
        const row = tokens.map(() => 0);
        at.forEach((j, i) => { row[j] = shares[i]; });
        return { found, row };
      });
      x = x.map((vector, t) => add(vector, O(attended[t].found)));
      return attended.map(({ row }) => row);
    });
    return { logits: x.map(vector => linear(output.W, vector, output.b)), weights };
  }

  // The places right after those where the symbol of place t stood before: where an induction head looks.
  const followed = (tokens, t) => [...tokens.keys()].filter(j => j >= 1 && j <= t && tokens[j - 1] === tokens[t]);

  return { symbols, longest: P.shape[0], read, followed };
};
