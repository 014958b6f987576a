import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { call } from '../api/call.ts';
import type { Data } from '../api/operations.ts';
import { count, fileSize } from '../format/numbers.ts';
import { Section } from '../parts/page.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { words } from '../words/words.ts';
import classes from './quotas.module.css';

interface Usage {
  used: number;
  limit: number;
}

/** The workspace's usage of its quotas. */
export function Quotas() {
  const profile = useQuery({
    queryKey: ['quotas'],
    queryFn: ({ signal }) => call('user/get_profile', {}, { signal }),
  });
  const quotas = profile.data?.quotas;
  if (profile.isSuccess && !quotas) return null;
  return (
    <Section title={words.quotas.title}>
      <Text size="sm" c="dimmed" mb="sm">
        {words.quotas.note}
      </Text>
      <QueryStatus of={profile} rows={3} />
      {quotas && <QuotaBars quotas={quotas} />}
    </Section>
  );
}

export function QuotaBars({ quotas }: { quotas: NonNullable<Data<'user/get_profile'>['quotas']> }) {
  return (
    <Stack gap="md">
      <UsageBar label={words.quotas.stored} use={quotas.stored_bytes} shown={fileSize} />
      <UsageBar label={words.quotas.campaigns} use={quotas.campaigns} shown={count} />
      {quotas.groups_created && <UsageBar label={words.quotas.groups} use={quotas.groups_created} shown={count} />}
    </Stack>
  );
}

const NEARLY_FULL = 0.9;

function UsageBar({
  label,
  use: { used, limit },
  shown,
}: {
  label: string;
  use: Usage;
  shown: (value: number) => string;
}) {
  const id = useId();
  const part = limit === 0 ? 1 : Math.min(1, used / limit);
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="sm" id={id}>
          {label}
        </Text>
        <Text size="sm" c="dimmed">
          {words.quotas.of(shown(used), shown(limit))}
        </Text>
      </Group>
      <div
        className={classes.bar}
        role="meter"
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={words.quotas.of(shown(used), shown(limit))}
      >
        <div
          className={classes.used}
          data-full={part >= NEARLY_FULL || undefined}
          style={{ width: `${part * 100}%` }}
        />
      </div>
    </div>
  );
}
