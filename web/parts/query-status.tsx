import { ErrorAlert } from './error-alert.tsx';
import { RowsSkeleton } from './page.tsx';

/** In place of a query's rows: a skeleton until they come, or why they did not, with a button to try again. */
export function QueryStatus({
  of: query,
  ...skeleton
}: {
  of: { isPending: boolean; isError: boolean; error: unknown; refetch: () => Promise<unknown> };
  rows: number;
  height?: number;
}) {
  if (query.isPending) return <RowsSkeleton {...skeleton} />;
  return query.isError ? <ErrorAlert error={query.error} retry={() => void query.refetch()} /> : null;
}
