import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { call } from '../api/call.ts';
import type { GivenRole } from '../api/operations.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { fieldProblems } from '../format/problem.ts';
import { FormErrorText } from '../parts/error-alert.tsx';
import { InvitationSent } from '../parts/invitation-sent.tsx';
import { t } from '../i18n/translate.ts';
import { INVITATIONS } from './queries.ts';
import { roleOptions } from './role-options.ts';

export function InviteMemberDialog({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Modal opened={opened} onClose={close} title={t('members.inviteTitle')}>
      <InviteForm close={close} />
    </Modal>
  );
}

function InviteForm({ close }: { close: () => void }) {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<GivenRole>('author');
  const inviting = useCancellableMutation({
    act: (address: string, signal) =>
      call('workspace/invite-member', { role, ...(address !== '' && { email: address }) }, { signal }),
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
        note={code === undefined ? t('users.invited', { email: email.trim() }) : t('members.passOn')}
        link={code && `${globalThis.location.origin}/join#${code}`}
        close={close}
      />
    );
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">{t('members.inviteNote')}</Text>
        <Select
          label={t('members.role')}
          description={t(`members.rights.${role}`)}
          data={roleOptions()}
          value={role}
          allowDeselect={false}
          onChange={(value) => value && setRole(value as GivenRole)}
        />
        <TextInput
          label={t('members.emailOptional')}
          description={t('members.emailNote')}
          type="email"
          autoComplete="off"
          data-autofocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={fieldProblems(inviting.error)['email']}
        />
        <FormErrorText error={inviting.error} />
        <Group justify="flex-end">
          <Button type="submit" loading={inviting.isPending}>
            {t('members.invite')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
