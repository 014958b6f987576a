import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { RowsSkeleton } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';

/** Says whose posts stop when a user is disabled, or what goes out once the user is enabled. */
export function UnsentPosts({ userId, act }: { userId: number; act: 'disable' | 'enable' }) {
  const found = useQuery({
    queryKey: ['users', 'one', userId],
    queryFn: ({ signal }) => call('admin/get_user', { user_id: userId }, { signal }),
    staleTime: 0,
  });
  if (found.isPending) return <RowsSkeleton rows={2} height={20} />;
  if (found.isError) return <ErrorAlert error={found.error} retry={() => void found.refetch()} />;
  const { unsent } = found.data;
  if (unsent.length === 0) return null;
  return (
    <Stack gap={4}>
      <Text size="sm">{t(act === 'disable' ? 'users.unsent.stops' : 'users.unsent.leaves')}</Text>
      <ul>
        {unsent.map((one) => (
          <li key={one.workspace_id}>
            <Text size="sm" component="span" dir="auto">
              {`${one.name}: ${partsOf(one).join(', ')}`}
            </Text>
          </li>
        ))}
      </ul>
    </Stack>
  );
}

interface Unsent {
  queued: number;
  due_runs: number;
  planned_runs: number;
  missed_runs: number;
}

function partsOf({ queued, due_runs: due, planned_runs: planned, missed_runs: missed }: Unsent): string[] {
  return [
    t('users.unsent.queued', { posts: queued }),
    ...(due > 0 ? [t('users.unsent.due', { runs: due })] : []),
    ...(planned > 0 ? [t('users.unsent.planned', { runs: planned })] : []),
    ...(missed > 0 ? [t('users.unsent.missed', { runs: missed })] : []),
  ];
}
