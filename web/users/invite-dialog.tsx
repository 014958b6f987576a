import { Button, Code, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { call } from '../api/call.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { fieldProblems } from '../format/problem.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { FormErrorText } from '../parts/error-alert.tsx';
import textClasses from '../parts/text.module.css';
import { words } from '../words/words.ts';
import { INVITATIONS } from './invitations.tsx';

export function InviteDialog({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Modal opened={opened} onClose={close} title={words.users.invite}>
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
  if (inviting.data) return <Invited email={email} code={inviting.data.code} close={close} />;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">{words.users.inviteNote}</Text>
        <TextInput
          label={words.fields.email}
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
            {words.users.sendInvite}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Without mail, the administrator passes the link on. */
function Invited({ email, code, close }: { email: string; code: string | undefined; close: () => void }) {
  const link = `${globalThis.location.origin}/accept-invite#${code}`;
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        {code === undefined ? words.users.invited(email) : words.users.handOn(email)}
      </Text>
      {code !== undefined && (
        <Code block className={textClasses.breakable}>
          {link}
        </Code>
      )}
      <Group justify="flex-end">
        {code !== undefined && <CopyButton value={link} label={words.users.copyLink} />}
        <Button size="xs" onClick={close}>
          {words.done}
        </Button>
      </Group>
    </Stack>
  );
}
