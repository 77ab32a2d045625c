// The arithmetic of a few heads on one sentence. Plain arrays: z is [H][T][Dh], Wo is [H*Dh][D].
// Every head takes z as its q, k and v, so nothing is learned and scores are symmetric.

export function dot(a, b) {
  return a.reduce((sum, x, i) => sum + x * b[i], 0);
}

// The largest score is subtracted first, so that no exponential overflows.
export function softmax(scores) {
  const largest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - largest));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

// One query's scores against every key of one head, [T]; a key the mask hides scores -Infinity.
export function scoresOf(head, query, causal) {
  const scale = Math.sqrt(head[query].length);
  return head.map((key, j) => (causal && j > query ? -Infinity : dot(head[query], key) / scale));
}

// sum over j of weights[j] * values[j], [Dh]
export function mixture(weights, values) {
  return values[0].map((_, d) => weights.reduce((sum, weight, j) => sum + weight * values[j][d], 0));
}

// What each row of W_O adds to the residual: [H*Dh][D]
export function additions(joined, Wo) {
  return joined.map((feature, i) => Wo[i].map((weight) => feature * weight));
}

export function sumRows(rows) {
  return rows[0].map((_, column) => rows.reduce((sum, row) => sum + row[column], 0));
}

// Everything that one query receives: per head scores, weights [T] and output [Dh];
// their concatenation [H*Dh], what each of its features adds [H*Dh][D], and the mix [D].
export function receive({ z, Wo, causal }, query) {
  const heads = z.map((head) => {
    const scores = scoresOf(head, query, causal);
    const weights = softmax(scores);
    return { scores, weights, output: mixture(weights, head) };
  });
  const joined = heads.flatMap((head) => head.output);
  const added = additions(joined, Wo);
  return { heads, joined, added, mix: sumRows(added) };
}

// The place of the largest number; of equal ones, the first.
export function top(numbers) {
  return numbers.indexOf(Math.max(...numbers));
}
