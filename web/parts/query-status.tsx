import { ErrorAlert } from './error-alert.tsx';
import { RowsSkeleton } from './page.tsx';

/** A skeleton until the query's rows arrive, or the error with a retry button. */
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
