import { Button, Modal, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { call } from '../api/call.ts';
import type { ListedAccount } from '../api/operations.ts';
import { accountsQuery } from '../api/queries.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { accountName } from '../format/account-name.ts';
import { fieldProblems } from '../format/problem.ts';
import { DialogFoot, showSaved } from '../parts/save-bar.tsx';
import { t } from '../i18n/translate.ts';
import classes from './account-number.module.css';
import { ACCOUNT_NAME_LIMIT } from './add-account.tsx';

/** Shows the account's name, with a button to change it. */
export function AccountNameField({ account, canChange }: { account: ListedAccount; canChange: boolean }) {
  const [isChanging, { open, close }] = useDisclosure(false);
  return (
    <span className={classes.number}>
      <span dir="auto">{accountName(account)}</span>
      {canChange && (
        <Button size="compact-sm" variant="default" onClick={open}>
          {t('accounts.rename')}
        </Button>
      )}
      <Modal opened={isChanging} onClose={close} title={t('accounts.renameTitle')}>
        <RenameForm account={account} close={close} />
      </Modal>
    </span>
  );
}

function RenameForm({ account, close }: { account: ListedAccount; close: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState(account.name ?? '');
  const renaming = useCancellableMutation({
    act: (_nothing: void, signal) =>
      call('venom/update-account', { account_id: account.account_id, name: name.trim() }, { signal }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: accountsQuery.queryKey });
      showSaved();
      close();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    renaming.mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label={t('members.name')}
          description={t('accounts.nameHint')}
          maxLength={ACCOUNT_NAME_LIMIT}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldProblems(renaming.error)['name']}
        />
        <DialogFoot acting={renaming} close={close} isReady={name.trim() !== ''} />
      </Stack>
    </form>
  );
}
