/** Divides the posts of runs into pieces for one statement each. Pure. */

/** The posts of a run from position `after` + 1 to `until`. */
export interface Piece {
  runId: number;
  after: number;
  until: number;
}

export interface PostsOfRun extends Piece {
  contentId: number;
}

/** Deliveries of a statement. */
export const CHUNK = 20_000;

/**
 * Returns lists of pieces with `chunk` posts at most. Runs of one content are cut at the same positions, which are the same groups: so a
 * statement adds up all posts of few groups, and not some posts of all. `positions`: the only ones of each content that count, in order.
 */
export function* cutPosts(
  runs: readonly PostsOfRun[],
  positions: ReadonlyMap<number, readonly number[]> | null,
  chunk = CHUNK,
): Generator<Piece[]> {
  let pieces: Piece[] = [];
  let posts = 0;
  for (const [contentId, those] of Map.groupBy(runs, (run) => run.contentId)) {
    const step = Math.max(1, Math.floor(chunk / those.length));
    const stretches = positions ? stretchesOf(positions.get(contentId) ?? []) : [stretchOf(those)];
    for (const [from, to] of stretches) {
      for (let start = from; start < to; start += step) {
        for (const { runId, ...run } of those) {
          const [after, until] = [Math.max(run.after, start), Math.min(run.until, start + step, to)];
          if (after >= until) continue;
          if (posts + until - after > chunk) {
            yield pieces;
            [pieces, posts] = [[], 0];
          }
          pieces.push({ runId, after, until });
          posts += until - after;
        }
      }
    }
  }
  if (pieces.length > 0) yield pieces;
}

type Stretch = [after: number, until: number];

function stretchOf(runs: readonly PostsOfRun[]): Stretch {
  return runs.reduce<Stretch>(
    ([after, until], run) => [Math.min(after, run.after), Math.max(until, run.until)],
    [Infinity, 0],
  );
}

function stretchesOf(positions: readonly number[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const position of positions) {
    const last = stretches.at(-1);
    if (last?.[1] === position - 1) last[1] = position;
    else stretches.push([position - 1, position]);
  }
  return stretches;
}
