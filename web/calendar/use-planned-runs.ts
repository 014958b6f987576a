import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { GroupKind, PlannedRun } from '../api/operations.ts';

const PAGE = 1_000;
const REFRESH_MS = 10_000;
/** The warnings cost several times what the runs do, and change with plans only. */
const REFRESH_WITH_DETAILS_MS = 30_000;

/** Only runs to a group of this kind and of this saved list. */
export interface RunFilter {
  kind?: GroupKind | undefined;
  listId?: number | undefined;
  /** Adds the kind of post, the saved list, and what is too much. */
  withDetails?: boolean;
}

/** The runs of all campaigns due from `first` to `last` (dates in the user's zone), by due time. */
export function usePlannedRuns(first: string, last: string, { kind, listId, withDetails = false }: RunFilter = {}) {
  return useQuery({
    queryKey: ['runs', first, last, kind ?? 'all', listId ?? 'any', withDetails],
    queryFn: ({ signal }) =>
      listAll(
        {
          start_date: first,
          end_date: last,
          kind,
          group_list_id: listId,
          with_post: withDetails,
          with_warnings: withDetails,
        },
        signal,
      ),
    placeholderData: keepPreviousData,
    refetchInterval: withDetails ? REFRESH_WITH_DETAILS_MS : REFRESH_MS,
  });
}

interface Span {
  start_date: string;
  end_date: string;
  kind: GroupKind | undefined;
  group_list_id: number | undefined;
  with_post: boolean;
  with_warnings: boolean;
}

async function listAll(span: Span, signal: AbortSignal): Promise<PlannedRun[]> {
  const runs: PlannedRun[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await call('venom/list-runs', { ...span, with_counts: true, limit: PAGE, cursor }, { signal });
    runs.push(...page.runs);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return runs.toSorted((one, other) => one.due_at.localeCompare(other.due_at));
}
