import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { Factor } from '../api/operations.ts';
import { hasPasskeys } from '../api/passkey.ts';
import { count } from '../format/numbers.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Failed } from '../parts/failed.tsx';
import { Moment } from '../parts/moment.tsx';
import { RowsSkeleton, Section } from '../parts/page.tsx';
import { words } from '../words/words.ts';
import { NewApp, NewCodes, NewPasskey } from './new-factor.tsx';

const KEY = ['factors'];
const nameOf = ({ kind, name }: Factor) => (kind === 'totp' ? words.factors.app : name);

/** What is asked for beside the password. */
export function Factors() {
  const client = useQueryClient();
  const factors = useQuery({ queryKey: KEY, queryFn: ({ signal }) => call('user/list_factors', {}, { signal }) });
  const [isAddingApp, addingApp] = useDisclosure(false);
  const [isAddingPasskey, addingPasskey] = useDisclosure(false);
  const [isRenewing, renewing] = useDisclosure(false);
  const [removed, setRemoved] = useState<Factor>();
  const look = () => client.invalidateQueries({ queryKey: KEY });
  const remove = async (signal: AbortSignal) => {
    if (!removed) return;
    await call('user/remove_factor', { factor_id: removed.factor_id }, { signal });
    await look();
  };
  const own = factors.data?.factors ?? [];
  return (
    <Section title={words.factors.title}>
      <Stack gap="sm">
        {factors.isPending && <RowsSkeleton rows={1} />}
        {factors.isError && <Failed error={factors.error} retry={() => void factors.refetch()} />}
        {factors.data && (
          <Text size="sm" c="dimmed">
            {own.length === 0
              ? words.factors.none
              : words.factors.codesLeft(factors.data.recovery_codes_left, count(factors.data.recovery_codes_left))}
          </Text>
        )}
        {own.map((factor) => (
          <FactorRow key={factor.factor_id} factor={factor} remove={() => setRemoved(factor)} />
        ))}
        {factors.data && (
          <Group gap="xs">
            {!own.some(({ kind }) => kind === 'totp') && (
              <Button variant="default" onClick={addingApp.open}>
                {words.factors.addApp}
              </Button>
            )}
            {hasPasskeys() && (
              <Button variant="default" onClick={addingPasskey.open}>
                {words.factors.addPasskey}
              </Button>
            )}
            {own.length > 0 && (
              <Button variant="subtle" onClick={renewing.open}>
                {words.factors.renew}
              </Button>
            )}
          </Group>
        )}
      </Stack>
      <NewApp opened={isAddingApp} close={addingApp.close} onAdded={look} />
      <NewPasskey opened={isAddingPasskey} close={addingPasskey.close} onAdded={look} />
      <NewCodes opened={isRenewing} close={renewing.close} onAdded={look} />
      <Confirm
        opened={removed !== undefined}
        close={() => setRemoved(undefined)}
        title={words.factors.removeTitle(removed ? nameOf(removed) : '')}
        action={words.factors.remove}
        act={remove}
        danger
      >
        {words.factors.removeNote}
      </Confirm>
    </Section>
  );
}

function FactorRow({ factor, remove }: { factor: Factor; remove: () => void }) {
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <div>
        <Group gap="xs">
          <Text size="sm" fw={550}>
            {nameOf(factor)}
          </Text>
          {factor.kind === 'passkey' && <Badge variant="default">{words.factors.passkey}</Badge>}
        </Group>
        <Text size="sm" c="dimmed">
          {words.settings.keyUsed}:{' '}
          {factor.last_used_at === null ? words.settings.never : <Moment at={factor.last_used_at} />}
        </Text>
      </div>
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={words.factors.removeTitle(nameOf(factor))}
        onClick={remove}
      >
        {words.factors.remove}
      </Button>
    </Group>
  );
}
