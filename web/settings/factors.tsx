import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { Factor } from '../api/operations.ts';
import { hasPasskeys } from '../api/passkey.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Section } from '../parts/page.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { t } from '../i18n/translate.ts';
import { AddAppDialog, RenewCodesDialog, AddPasskeyDialog } from './add-factor-dialogs.tsx';

const KEY = ['factors'];
const nameOf = ({ kind, name }: Factor) => (kind === 'totp' ? t('factors.app') : name);

/** The second factors. */
export function Factors() {
  const client = useQueryClient();
  const factors = useQuery({ queryKey: KEY, queryFn: ({ signal }) => call('user/list_factors', {}, { signal }) });
  const [isAddingApp, addingApp] = useDisclosure(false);
  const [isAddingPasskey, addingPasskey] = useDisclosure(false);
  const [isRenewing, renewing] = useDisclosure(false);
  const refetch = () => client.invalidateQueries({ queryKey: KEY });
  const remove = async ({ factor_id }: Factor, signal: AbortSignal) => {
    await call('user/remove_factor', { factor_id }, { signal });
    await refetch();
  };
  const own = factors.data?.factors ?? [];
  return (
    <Section title={t('factors.title')}>
      <Stack gap="sm">
        <QueryStatus of={factors} rows={1} />
        {factors.data && (
          <Text size="sm" c="dimmed">
            {own.length === 0 ? t('factors.none') : t('factors.codesLeft', { left: factors.data.recovery_codes_left })}
          </Text>
        )}
        {own.map((factor) => (
          <FactorRow key={factor.factor_id} factor={factor} remove={(signal) => remove(factor, signal)} />
        ))}
        {factors.data && (
          <Group gap="xs">
            {!own.some(({ kind }) => kind === 'totp') && (
              <Button variant="default" onClick={addingApp.open}>
                {t('factors.addApp')}
              </Button>
            )}
            {hasPasskeys() && (
              <Button variant="default" onClick={addingPasskey.open}>
                {t('factors.addPasskey')}
              </Button>
            )}
            {own.length > 0 && (
              <Button variant="subtle" onClick={renewing.open}>
                {t('factors.renew')}
              </Button>
            )}
          </Group>
        )}
      </Stack>
      <AddAppDialog opened={isAddingApp} close={addingApp.close} onAdded={refetch} />
      <AddPasskeyDialog opened={isAddingPasskey} close={addingPasskey.close} onAdded={refetch} />
      <RenewCodesDialog opened={isRenewing} close={renewing.close} onAdded={refetch} />
    </Section>
  );
}

function FactorRow({ factor, remove }: { factor: Factor; remove: (signal: AbortSignal) => Promise<void> }) {
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <div>
        <Group gap="xs">
          <Text size="sm" fw={550}>
            {nameOf(factor)}
          </Text>
          {factor.kind === 'passkey' && <Badge variant="default">{t('factors.passkey')}</Badge>}
        </Group>
        <Text size="sm" c="dimmed">
          {t('settings.keyUsed')}:{' '}
          {factor.last_used_at === null ? t('settings.never') : <RelativeTime at={factor.last_used_at} />}
        </Text>
      </div>
      <ConfirmButton
        size="compact-sm"
        variant="subtle"
        title={t('factors.removeTitle', { name: nameOf(factor) })}
        aria-label={t('factors.removeTitle', { name: nameOf(factor) })}
        action={t('factors.remove')}
        act={remove}
        danger
      >
        {t('factors.removeNote')}
      </ConfirmButton>
    </Group>
  );
}
