// The models of chapters 01 and 02, from their weights: `start` reads a sentence, `step` writes one token.
living.translation = (() => {
  const { linear, embedding, concat, gruCell, additiveAttention } = living;

  // A cell's four tensors, as torch.nn.GRU names them (suffix "_l0", "_l0_reverse") and as chapter 01's cell does ("").
  const cell = (tensors, name, suffix) => ({
    weightIh: tensors[`${name}.weight_ih${suffix}`], weightHh: tensors[`${name}.weight_hh${suffix}`],
    biasIh: tensors[`${name}.bias_ih${suffix}`], biasHh: tensors[`${name}.bias_hh${suffix}`],
  });

  // Reads both ways. outputs: [forward; backward] at every position; state: tanh(bridge([last forward; first backward])).
  function encode(tensors, source) {
    const embedded = source.map(id => embedding(tensors["encoder.embedding.weight"], id));
    const states = (inputs, parts) => {
      const passed = [];
      for (const x of inputs) passed.push(gruCell(parts, x, passed.at(-1) ?? new Float32Array(parts.weightHh.shape[1])));
      return passed;
    };
    const forward = states(embedded, cell(tensors, "encoder.gru", "_l0"));
    const backward = states(embedded.toReversed(), cell(tensors, "encoder.gru", "_l0_reverse")).reverse();
    const both = concat(forward.at(-1), backward[0]);
    return {
      outputs: forward.map((state, s) => concat(state, backward[s])),
      state: linear(tensors["encoder.bridge.weight"], both, tensors["encoder.bridge.bias"]).map(Math.tanh),
    };
  }

  // Chapter 01: the encoder's state is the first hidden state, and the context at every step.
  const vector = ({ tensors }) => {
    const gru = cell(tensors, "decoder.gru", "_l0");
    return {
      start(source) {
        const { state } = encode(tensors, source);
        return { hidden: state, context: state };
      },
      step(token, { hidden, context }) {
        hidden = gruCell(gru, concat(embedding(tensors["decoder.embedding.weight"], token), context), hidden);
        const logits = linear(tensors["decoder.output.weight"], concat(hidden, context), tensors["decoder.output.bias"]);
        return { logits, state: { hidden, context } };
      },
    };
  };

  // Chapter 02: before each token the old hidden state asks all outputs of the encoder, and the answer is the context.
  const attention = ({ tensors }) => {
    const gru = cell(tensors, "decoder.cell", ""), part = name => tensors[`decoder.attention.${name}.weight`];
    const additive = { Wa: part("W_a"), va: part("v_a") };
    return {
      start(source) {
        const { outputs, state } = encode(tensors, source);
        return { hidden: state, keys: outputs.map(key => linear(part("U_a"), key)), values: outputs, mask: source.map(() => true) };
      },
      step(token, { hidden, keys, values, mask }) {
        const { context, weights } = additiveAttention(additive, hidden, keys, values, mask);
        hidden = gruCell(gru, concat(embedding(tensors["decoder.embedding.weight"], token), context), hidden);
        const logits = linear(tensors["decoder.output.weight"], concat(hidden, context), tensors["decoder.output.bias"]);
        return { logits, weights, state: { hidden, keys, values, mask } };
      },
    };
  };

  // Numbers in words as course/data/__init__.py cuts them: English without "and", German in morphemes.
  const ENGLISH = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen " +
    "seventeen eighteen nineteen").split(" ");
  const ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
  const GERMAN = ("null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn " +
    "siebzehn achtzehn neunzehn").split(" ");
  const GERMAN_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split(" ");

  function english(number) {
    const hundreds = Math.floor(number / 100), rest = number % 100, tens = Math.floor(rest / 10), ones = rest % 10;
    return [
      ...(hundreds ? [ENGLISH[hundreds], "hundred"] : []),
      ...(rest >= 20 ? [ENGLISH_TENS[tens - 2], ...(ones ? [ENGLISH[ones]] : [])] : rest ? [ENGLISH[rest]] : []),
    ];
  }

  function german(number) {
    const hundreds = Math.floor(number / 100), rest = number % 100, tens = Math.floor(rest / 10), ones = rest % 10;
    return [
      ...(hundreds ? [GERMAN[hundreds], "hundert"] : []),
      ...(rest >= 20 ? [...(ones ? [GERMAN[ones], "und"] : []), GERMAN_TENS[tens - 2]]
        : rest ? [rest === 1 ? "eins" : GERMAN[rest]] : []),
    ];
  }

  const sentence = (numbers, words) => numbers.flatMap((number, i) => i ? [",", ...words(number)] : words(number));

  // What a model (its file's header, and what `vector` or `attention` made of it) writes for these numbers.
  function translate(header, model, numbers) {
    const ids = [...sentence(numbers, english).map(word => header.source.indexOf(word)), header.eos];
    const start = model.start(ids);
    const trace = living.greedyDecode(model.step, start, { bos: header.bos, eos: header.eos, most: header.most_words });
    return {
      start,
      words: trace.filter(({ token }) => token !== header.eos).map(({ token }) => header.target[token]),
      weights: trace.map(({ weights }) => weights),
    };
  }

  // "All right.", or how many words are not those that stand at their place.
  function verdict(words, target) {
    const wrong = words.filter((word, t) => word !== target[t]).length, missing = Math.max(0, target.length - words.length);
    if (!wrong && !missing) return "all right.";
    const parts = [wrong && `${wrong} of ${words.length} words wrong`, missing && `${missing} missing at the end`];
    return `${parts.filter(Boolean).join(", ")}.`;
  }

  return { verdict, vector, attention, english, german, sentence, translate };
})();
