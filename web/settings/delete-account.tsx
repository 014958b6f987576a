import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api/call.ts';
import { signOut } from '../api/session.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { Section } from '../parts/page.tsx';
import { words } from '../words/words.ts';

export function DeleteAccount() {
  const client = useQueryClient();
  const [, go] = useLocation();
  const [isAsking, asking] = useDisclosure(false);
  const [password, setPassword] = useState('');
  const act = async (signal: AbortSignal) => {
    await call('user/delete_account', { password }, { signal });
    await signOut(client);
    go('/goodbye');
  };
  return (
    <Section title={words.settings.delete}>
      <Text size="sm" mb="sm">
        {words.settings.deleteNote}
      </Text>
      <Button variant="default" onClick={asking.open}>
        {words.settings.deleteButton}
      </Button>
      <ConfirmDialog
        opened={isAsking}
        close={() => {
          asking.close();
          setPassword('');
        }}
        title={words.settings.deleteTitle}
        action={words.settings.deleteConfirm}
        act={act}
        danger
      >
        <Stack gap="sm">
          <Text size="sm">{words.settings.deleteWarning}</Text>
          <PasswordInput
            label={words.signIn.password}
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        </Stack>
      </ConfirmDialog>
    </Section>
  );
}
