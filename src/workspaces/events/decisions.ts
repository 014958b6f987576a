/** What became of a post that waited for an approval. Each has a sentence `notices.decisions.DECISION` in the catalogs. */
export const DECISIONS = ['approved', 'changes_requested', 'rejected', 'withdrawn', 'time_passed'] as const;

export type Decision = (typeof DECISIONS)[number];
