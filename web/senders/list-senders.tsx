import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useSeveralAccounts } from '../api/accounts.ts';
import type { GroupList, ListedAccount } from '../api/operations.ts';
import { t } from '../i18n/translate.ts';
import { sendersQuery } from './sender-queries.ts';
import { SendersDialog } from './senders-dialog.tsx';

/** Sets who posts to the groups of a saved list. Nothing in a workspace with one account. */
export function ListSenders({ list }: { list: GroupList }) {
  const accounts = useSeveralAccounts();
  return accounts ? <Senders list={list} accounts={accounts} /> : null;
}

function Senders({ list, accounts }: { list: GroupList; accounts: readonly ListedAccount[] }) {
  const rules = useQuery(sendersQuery());
  const [isChanging, { open, close }] = useDisclosure(false);
  const ofWorkspace = rules.data?.senders.find(({ scope }) => scope === 'workspace');
  const own = rules.data?.senders.find((rule) => rule.group_list_id === list.group_list_id);
  return (
    <>
      <Button size="xs" variant="default" onClick={open} disabled={!rules.isSuccess}>
        {t('senders.title')}
      </Button>
      <SendersDialog
        opened={isChanging}
        close={close}
        title={t('senders.changeTitle', { group: list.name })}
        accounts={accounts}
        of={{ group_list_id: list.group_list_id }}
        chosen={(own ?? ofWorkspace)?.account_ids}
        hasRule={own !== undefined}
      />
    </>
  );
}
