import { Button, Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { accountPath } from '../api/accounts.ts';
import { call } from '../api/call.ts';
import { accountQuery, accountsQuery } from '../api/queries.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { isNational } from '../format/phone.ts';
import { fieldProblems } from '../format/problem.ts';
import { Icon } from '../parts/icons.tsx';
import { showToast } from '../parts/notify.ts';
import { PhoneField } from '../parts/phone-field.tsx';
import { DialogFoot } from '../parts/save-bar.tsx';
import { t } from '../i18n/translate.ts';

const MESSENGERS = ['sandbox', 'whatsapp'] as const;
type Messenger = (typeof MESSENGERS)[number];
export const ACCOUNT_NAME_LIMIT = 100;

/** Adds an account to the workspace, and opens its page. */
export function AddAccountButton() {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" leftSection={<Icon name="plus" size={16} />} onClick={open}>
        {t('accounts.add')}
      </Button>
      <Modal opened={isOpen} onClose={close} title={t('accounts.addTitle')}>
        <AddAccountForm close={close} />
      </Modal>
    </>
  );
}

/** The messenger of the default account is suggested. */
function useMessenger(): [Messenger, (value: string) => void] {
  const { data: account } = useQuery(accountQuery);
  const [chosen, setChosen] = useState<Messenger>();
  const suggested = account?.messenger === 'sandbox' ? 'sandbox' : 'whatsapp';
  return [chosen ?? suggested, (value) => setChosen(MESSENGERS.find((one) => one === value))];
}

function AddAccountForm({ close }: { close: () => void }) {
  const [messenger, setMessenger] = useMessenger();
  const isSandbox = messenger === 'sandbox';
  const { form, adding } = useAddAccount(messenger, close);
  return (
    <form onSubmit={form.onSubmit((values) => adding.mutate(values))} noValidate>
      <Stack gap="sm">
        <Text size="sm">{t('accounts.addNote')}</Text>
        <TextInput
          label={t('members.name')}
          description={t('accounts.nameHint')}
          maxLength={ACCOUNT_NAME_LIMIT}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
        <SegmentedControl
          aria-label={t('account.messenger')}
          value={messenger}
          onChange={setMessenger}
          data={MESSENGERS.map((value) => ({ value, label: t(`account.${value}`) }))}
        />
        {isSandbox ? (
          <Text size="sm" c="dimmed">
            {t('accounts.sandboxNote')}
          </Text>
        ) : (
          <PhoneField
            label={t('fields.whatsapp_number')}
            autoComplete="off"
            {...form.getInputProps('whatsapp_number')}
          />
        )}
        <DialogFoot acting={adding} close={close} action={t('accounts.add')} />
      </Stack>
    </form>
  );
}

function useAddAccount(messenger: Messenger, close: () => void) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const isSandbox = messenger === 'sandbox';
  const form = useForm({
    initialValues: { name: '', whatsapp_number: '' },
    validate: {
      name: (name) => (name.trim() === '' ? t('accounts.nameMissing') : null),
      whatsapp_number: (number) =>
        isSandbox
          ? null
          : number.trim() === ''
            ? t('signUp.missing')
            : isNational(number)
              ? t('phoneField.incomplete')
              : null,
    },
  });
  const adding = useCancellableMutation({
    act: ({ name, whatsapp_number: number }: typeof form.values, signal) =>
      call(
        'venom/add-account',
        { name: name.trim(), messenger, ...(!isSandbox && { whatsapp_number: number }) },
        { signal },
      ),
    onSuccess: async (added, { name }) => {
      client.setQueryData(accountsQuery.queryKey, (before) => before && [...before, added]);
      for (const queryKey of [accountsQuery.queryKey, ['groups']]) void client.invalidateQueries({ queryKey });
      showToast(t('accounts.added', { name }));
      close();
      go(accountPath(added));
    },
    onError: (error) => form.setErrors(fieldProblems(error)),
  });
  return { form, adding };
}
