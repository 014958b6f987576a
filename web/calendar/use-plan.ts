import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { PlannedRun } from '../api/operations.ts';

const PAGE = 1_000;
const REFRESH_MS = 10_000;

/** The runs of all campaigns that are due on the days from `first` to `last`, dates in the user's zone, in order of their time. */
export function usePlan(first: string, last: string) {
  return useQuery({
    queryKey: ['runs', first, last],
    queryFn: ({ signal }) => listAll(first, last, signal),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}

async function listAll(first: string, last: string, signal: AbortSignal): Promise<PlannedRun[]> {
  const runs: PlannedRun[] = [];
  let cursor: string | null | undefined;
  do {
    const body = { start_date: first, end_date: last, limit: PAGE, cursor };
    const page = await call('venom/list-runs', body, { signal });
    runs.push(...page.runs);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return runs.toSorted((one, other) => one.due_at.localeCompare(other.due_at));
}
