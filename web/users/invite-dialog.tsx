import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { call } from '../api/call.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { fieldProblems } from '../format/problem.ts';
import { FormErrorText } from '../parts/error-alert.tsx';
import { InvitationSent } from '../parts/invitation-sent.tsx';
import { t } from '../i18n/translate.ts';
import { INVITATIONS } from './invitations.tsx';

export function InviteDialog({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Modal opened={opened} onClose={close} title={t('users.invite')}>
      <InviteForm close={close} />
    </Modal>
  );
}

function InviteForm({ close }: { close: () => void }) {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const inviting = useCancellableMutation({
    act: (address: string, signal) => call('user/invite', { email: address }, { signal }),
    onSuccess: () => client.invalidateQueries({ queryKey: INVITATIONS }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    inviting.mutate(email.trim());
  };
  if (inviting.data) {
    const { code } = inviting.data;
    return (
      <InvitationSent
        note={code === undefined ? t('users.invited', { email }) : t('users.handOn', { email })}
        link={code && `${globalThis.location.origin}/accept-invite#${code}`}
        close={close}
      />
    );
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">{t('users.inviteNote')}</Text>
        <TextInput
          label={t('fields.email')}
          type="email"
          autoComplete="off"
          required
          data-autofocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={fieldProblems(inviting.error)['email']}
        />
        <FormErrorText error={inviting.error} />
        <Group justify="flex-end">
          <Button type="submit" loading={inviting.isPending}>
            {t('users.sendInvite')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
