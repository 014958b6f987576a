import type { PlannedRun } from '../../api/operations.ts';

/** Whether posts of a run did not go out, and nobody has left it out. */
export function isUnsent({ status, failed = 0, left_out: isLeftOut }: PlannedRun): boolean {
  return isLeftOut !== true && (status === 'missed' || (status === 'completed_with_errors' && failed > 0));
}
