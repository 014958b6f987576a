import { Button, Menu, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { Group, ListedAccount } from '../api/operations.ts';
import { accountsQuery } from '../api/queries.ts';
import { useMay } from '../api/workspace.ts';
import { accountName } from '../format/account-name.ts';
import { shorten } from '../format/shorten.ts';
import { useZone } from '../format/zone-context.tsx';
import { ErrorText } from '../parts/error-alert.tsx';
import { showToast } from '../parts/notify.ts';
import { Section } from '../parts/page.tsx';
import { Dot } from '../parts/status.tsx';
import { accountSummary, accountTone } from '../shell/account-pill.tsx';
import { t } from '../i18n/translate.ts';
import classes from './incidents.module.css';

/** An entry of the menu has one line, also on a phone. */
const NAME_LENGTH = 24;

const ACTIONS = ['ban', 'demote', 'remove', 'restore'] as const;
type Action = (typeof ACTIONS)[number];

/** The accounts on the sandbox, and what WhatsApp or the admins of the open group could do to them. */
export function Incidents({ group }: { group: Group }) {
  const { data } = useQuery(accountsQuery);
  const maySimulate = useMay('manager') === true;
  const accounts = data?.filter(({ messenger }) => messenger === 'sandbox') ?? [];
  if (!maySimulate || accounts.length === 0) return null;
  return (
    <Section title={t('incidents.title')}>
      <Text size="sm" c="dimmed" mb="sm">
        {t('incidents.note')}
      </Text>
      <ul className={classes.accounts} aria-label={t('accounts.title')}>
        {accounts.map((account) => (
          <IncidentsOf key={account.account_id} account={account} group={group} />
        ))}
      </ul>
    </Section>
  );
}

function IncidentsOf({ account, group }: { account: ListedAccount; group: Group }) {
  const zone = useZone();
  const name = accountName(account);
  const simulating = useSimulation(account, group);
  const label = (action: Action) => t(`incidents.${action}`, { group: shorten(group.group_name, NAME_LENGTH) });
  return (
    <li className={classes.account}>
      <span dir="auto">{name}</span>
      <Dot tone={accountTone(account)} label={accountSummary(account, zone)} />
      <Menu position="bottom-start">
        <Menu.Target>
          <Button
            size="xs"
            variant="default"
            loading={simulating.isPending}
            aria-label={t('incidents.simulateFor', { name })}
          >
            {t('incidents.simulate')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {ACTIONS.map((action) => (
            <Menu.Item key={action} onClick={() => simulating.mutate(action)}>
              {label(action)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <ErrorText error={simulating.error} />
    </li>
  );
}

function useSimulation(account: ListedAccount, group: Group) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (action: Action) =>
      call('sandbox/simulate-incident', {
        account_id: account.account_id,
        action,
        ...((action === 'demote' || action === 'remove') && { group_metadata_id: group.group_metadata_id }),
      }),
    onSuccess: (_answer, action) =>
      showToast(t(`incidents.done.${action}`, { name: accountName(account), group: group.group_name })),
    onSettled: () => client.invalidateQueries(),
  });
}
