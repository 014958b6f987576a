import type { Draft } from './draft.ts';

/** What the service says would happen to a draft. */
export interface Check {
  /** When it would be sent; undefined while that is not known. */
  runs: readonly { due_at: string }[] | undefined;
  /** Groups that it would not reach. */
  skipped: number;
  /** How long sending would take; undefined while that is not known. */
  expectedSeconds: number | undefined;
  error: unknown;
}

export function useCheck(_draft: Draft, _name: string, _file: File | null): Check {
  return { runs: undefined, skipped: 0, expectedSeconds: undefined, error: undefined };
}
