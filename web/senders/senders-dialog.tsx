import { Button, Modal, MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { call } from '../api/call.ts';
import type { ListedAccount } from '../api/operations.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { accountName } from '../format/account-name.ts';
import { showToast } from '../parts/notify.ts';
import { DialogFoot, showSaved } from '../parts/save-bar.tsx';
import { t } from '../i18n/translate.ts';
import { SENDERS } from './sender-queries.ts';

const REASON_LIMIT = 500;

/** A group, a saved list, or with neither all groups of the workspace. */
type RuleScope = { group_metadata_ids?: [number]; group_list_id?: number };

interface SendersFormProps {
  accounts: readonly ListedAccount[];
  /** What the rule is about, as `set-senders` takes it. */
  of: RuleScope;
  /** The accounts of the rule in force, the preferred one first. Default is the default account. */
  chosen: readonly number[] | undefined;
  /** Whether there is a rule that can be removed. */
  hasRule: boolean;
  close: () => void;
}

/** Sets who sends: the preferred account, its stand-ins in order, and why. */
export function SendersDialog({ opened, title, ...form }: SendersFormProps & { opened: boolean; title: string }) {
  return (
    <Modal opened={opened} onClose={form.close} title={title}>
      <SendersForm {...form} />
    </Modal>
  );
}

function SendersForm({ accounts, of, chosen, hasRule, close }: SendersFormProps) {
  const known = new Set(accounts.map(({ account_id: id }) => id));
  const [ids, setIds] = useState(() => (chosen ?? defaultOf(accounts)).filter((id) => known.has(id)).map(String));
  const [reason, setReason] = useState('');
  const setting = useSetSenders(of, close);
  const data = accounts.map((account) => ({ value: String(account.account_id), label: accountName(account) }));
  const [preferred, ...standIns] = ids;
  const prefer = (id: string | null) => {
    if (id !== null) setIds([id, ...standIns.filter((one) => one !== id)]);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setting.mutate({ accountIds: ids.map(Number), reason: reason.trim() });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Select
          label={t('senders.preferred')}
          data={data}
          value={preferred ?? null}
          onChange={prefer}
          allowDeselect={false}
          data-autofocus
        />
        <MultiSelect
          label={t('senders.standIns')}
          description={t('senders.standInsHint')}
          data={data.filter(({ value }) => value !== preferred)}
          value={standIns}
          onChange={(others) => setIds(preferred === undefined ? others : [preferred, ...others])}
          disabled={preferred === undefined}
          searchable
          nothingFoundMessage={t('senders.noOther')}
          clearButtonProps={{ 'aria-label': t('common.clear') }}
        />
        <TextInput
          label={t('senders.reason')}
          description={t('senders.reasonHint')}
          maxLength={REASON_LIMIT}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Text size="sm" c="dimmed">
          {t('senders.begun')}
        </Text>
        <DialogFoot acting={setting} close={close} isReady={preferred !== undefined}>
          {hasRule && (
            <Button
              variant="default"
              mr="auto"
              disabled={setting.isPending}
              onClick={() => setting.mutate({ accountIds: [], reason: '' })}
            >
              {t('senders.removeRule')}
            </Button>
          )}
        </DialogFoot>
      </Stack>
    </form>
  );
}

const defaultOf = (accounts: readonly ListedAccount[]) =>
  accounts.filter((account) => account.is_default).map((account) => account.account_id);

function useSetSenders(of: RuleScope, close: () => void) {
  const client = useQueryClient();
  return useCancellableMutation({
    act: ({ accountIds, reason }: { accountIds: number[]; reason: string }, signal) =>
      call(
        'venom/set-senders',
        {
          ...of,
          account_ids: accountIds,
          ...(reason !== '' && { reason }),
        },
        { signal },
      ),
    onSuccess: async (_nothing, { accountIds }) => {
      await Promise.all([SENDERS, ['groups']].map((queryKey) => client.invalidateQueries({ queryKey })));
      if (accountIds.length === 0) showToast(t('senders.removed'));
      else showSaved();
      close();
    },
  });
}
