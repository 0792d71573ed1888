// The Vision Transformer of chapter 08, from its weights. An image is an array of rows of pixels, 0 for paper, 1 for ink.

// N = HW / P^2 patches in reading order, each laid out row by row.
living.patchify = (image, P) => {
  const patches = [];
  for (let top = 0; top < image.length; top += P) for (let left = 0; left < image[0].length; left += P) {
    patches.push(image.slice(top, top + P).flatMap(row => row.slice(left, left + P)));
  }
  return patches;
};

// R = A_L ... A_2 A_1 with A_l = (mean over the heads of layer l + identity) / 2. weights[l][t] are token t's, by head.
living.attentionRollout = weights => weights.reduce((mixed, layer) => layer.map((heads, t) => {
  const step = heads[0].map((_, j) => (heads.reduce((sum, head) => sum + head[j], 0) / heads.length + (j === t)) / 2);
  return mixed ? living.blend(step, mixed) : Float32Array.from(step);
}), null);

living.visionTransformer = ({ tensors, patch_size: P, num_heads: heads, epsilon }) => {
  const { add, attendInHeads, embedding, gelu, layerNorm, linear } = living;
  const part = name => ({ W: tensors[`${name}.weight`], b: tensors[`${name}.bias`] });
  const patches = part("patches.projection"), head = part("head"), positions = part("positions").W;
  const norm = part("encoder.norm"), layers = living.layersOf(tensors, "encoder.layers");

  //   z_0 = [class; E x_1 + b; ...; E x_N + b] + positions
  //   in every layer:  z = z + W_O attention(norm1(z)),  then  z = z + W_2 gelu(W_1 norm2(z)),  for every token
  //   logits = W norm(z_class) + b
  function read(image) {
    const words = living.patchify(image, P).map(patch => linear(patches.W, patch, patches.b));
    let z = [tensors.class_token.data, ...words].map((word, t) => add(word, embedding(positions, t)));
    const weights = layers.map(({ Q, K, V, O, into, outOf, norm1, norm2 }) => {
      const normed = z.map(x => layerNorm(norm1, x, epsilon)), keys = normed.map(K), values = normed.map(V);
      const attended = normed.map(x => attendInHeads(heads, Q(x), keys, values));
      z = z.map((x, t) => add(x, O(attended[t].output)));
      z = z.map(x => add(x, outOf(into(layerNorm(norm2, x, epsilon)).map(gelu))));
      return attended.map(({ weights }) => weights);
    });
    const logits = linear(head.W, layerNorm(norm, z[0], epsilon), head.b);
    return { logits, probabilities: living.maskedSoftmax([...logits], [...logits].map(() => true)), weights };
  }

  // The cosine of a patch's position with that of each patch; row 0 is the class token's.
  function alike(patch) {
    const dot = (a, b) => a.reduce((sum, number, i) => sum + number * b[i], 0), of = n => embedding(positions, n + 1);
    const own = of(patch), cosine = other => dot(own, other) / Math.sqrt(dot(own, own) * dot(other, other));
    return Array.from({ length: positions.shape[0] - 1 }, (_, n) => cosine(of(n)));
  }

  return { read, alike };
};
