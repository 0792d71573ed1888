// The Transformer of chapter 06, from its weights: `start` reads a sentence, `read` takes one German word more into the
// state and says what each part of the decoder read and added to that word's stream, `fork` copies a state.
living.transformer = ({ tensors, num_heads: heads, bos, eos, most_words: most, epsilon }) => {
  const { add, attendInHeads, embedding, layerNorm, linear } = living;
  const part = name => ({ W: tensors[`${name}.weight`], b: tensors[`${name}.bias`] });
  const encoder = living.layersOf(tensors, "encoder.layers"), decoder = living.layersOf(tensors, "decoder.layers");
  const output = part("output"), lastNorm = part("decoder.norm"), D = output.W.shape[1];
  const normed = (name, x) => layerNorm(name, x, epsilon);

  // E[word] sqrt(D) + position
  const embed = (name, id, t) => add(embedding(tensors[`${name}_embedding.weight`], id).map(number => number * Math.sqrt(D)), living.sinusoidalEncoding(t, D));

  // W_2 relu(W_1 x + b_1) + b_2
  const network = ({ into, outOf }, x) => outOf(into(x).map(number => Math.max(0, number)));

  // In every layer of the encoder:  x = x + attention(norm1(x)),  then  x = x + network(norm2(x)).
  // Each layer of the decoder takes its keys and values of the memory, the last norm of x.
  function start(ids) {
    let x = ids.map((id, t) => embed("source", id, t));
    for (const layer of encoder) {
      const n = x.map(vector => normed(layer.norm1, vector)), keys = n.map(layer.K), values = n.map(layer.V);
      x = x.map((vector, t) => add(vector, layer.O(attendInHeads(heads, layer.Q(n[t]), keys, values).output)));
      x = x.map(vector => add(vector, network(layer, normed(layer.norm2, vector))));
    }
    const memory = x.map(vector => normed(part("encoder.norm"), vector));
    return {
      length: 0,
      cross: decoder.map(({ cross }) => ({ keys: memory.map(cross.K), values: memory.map(cross.V) })),
      own: decoder.map(() => ({ keys: [], values: [] })),
    };
  }

  // What the stream says: logits = W norm(x) + b.
  const logitsOf = x => linear(output.W, normed(lastNorm, x), output.b);

  // The mean of the heads' weights.
  const meanOf = weights => weights[0].map((_, j) => weights.reduce((sum, head) => sum + head[j], 0) / heads);

  // In every layer of the decoder:  x = x + self-attention(norm1(x)),  x = x + cross-attention(norm2(x), memory),
  // x = x + network(norm3(x)). The state has the keys and values of the words before.
  function read(state, token) {
    let x = embed("target", token, state.length++);
    const stages = [{ part: "word and position", layer: null, added: x, stream: x, weights: null }];
    const write = (part, layer, added, weights) => {
      x = add(x, added);
      stages.push({ part, layer, added, stream: x, weights });
    };
    decoder.forEach((layer, l) => {
      const { keys, values } = state.own[l], before = normed(layer.norm1, x);
      keys.push(layer.K(before));
      values.push(layer.V(before));
      const own = attendInHeads(heads, layer.Q(before), keys, values);
      write("self-attention", l, layer.O(own.output), meanOf(own.weights));
      const { cross } = layer, looked = attendInHeads(heads, cross.Q(normed(layer.norm2, x)), state.cross[l].keys, state.cross[l].values);
      write("cross-attention", l, cross.O(looked.output), meanOf(looked.weights));
      write("network", l, network(layer, normed(layer.norm3, x)), null);
    });
    return stages;
  }

  // Feed back the likeliest word until the model ends the sentence: [{ token, stages }, ...].
  function write(ids) {
    const state = start(ids), made = [];
    for (let token = bos; token !== eos && made.length < most;) {
      const stages = read(state, token);
      token = living.argmax(logitsOf(stages.at(-1).stream));
      made.push({ token, stages });
    }
    return made;
  }

  // A state of its own for another way on; what `read` only looks at is shared.
  const fork = state => ({ ...state, own: state.own.map(({ keys, values }) => ({ keys: [...keys], values: [...values] })) });

  return { start, fork, read, write, logitsOf };
};
