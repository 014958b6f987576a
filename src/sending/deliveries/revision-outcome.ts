/** The outcome of one attempt to revise a post. */
export type RevisionOutcome =
  | { kind: 'done' }
  /** There was nothing to change: the post had never left. */
  | { kind: 'absent' }
  | { kind: 'failed'; reason: string }
  /** Retry after `waitMs`; `tries` is 0 if it was not attempted. */
  | { kind: 'retry'; waitMs: number; tries: 0 | 1 };
