import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import type { Session } from '../../src/api/contract/session.ts';
import { call, request } from '../api/call.ts';
import { hasPasskeys, getPasskeyAssertion } from '../api/passkey.ts';
import { useReauthentication } from '../api/reauthentication.ts';
import { PartSkeleton } from '../parts/page.tsx';
import { ErrorAlert, ErrorText } from '../parts/error-alert.tsx';
import { t } from '../i18n/translate.ts';

/** On focusable elements: otherwise Escape would also close the dialog below. */
const STOP_PROPAGATION = { 'data-mantine-stop-propagation': 'true' };

/** Step-up authentication, above other dialogs: asks for a code if the user has a second factor, else for the password. */
export default function ReauthenticationDialog() {
  const pending = useReauthentication();
  return (
    <Modal
      opened={pending !== undefined}
      onClose={() => pending?.cancel()}
      onKeyDown={(event) => {
        if (event.key === 'Escape') pending?.cancel();
      }}
      closeButtonProps={{ 'aria-label': t('common.close'), ...STOP_PROPAGATION }}
      title={t('factors.proveTitle')}
      zIndex={300}
    >
      {pending && <ReauthenticationForm done={pending.resolve} />}
    </Modal>
  );
}

function ReauthenticationForm({ done }: { done: () => void }) {
  const factors = useQuery({
    queryKey: ['factors'],
    queryFn: ({ signal }) => call('user/list_factors', {}, { signal }),
    staleTime: 0,
  });
  const [typed, setTyped] = useState('');
  const proving = useMutation({
    mutationFn: (body: object) => request<Session>('/session/confirm', 'POST', { body }),
    onSuccess: done,
  });
  const showing = useMutation({
    mutationFn: async () => proving.mutateAsync({ passkey: await getPasskeyAssertion() }),
  });
  if (factors.isError) return <ErrorAlert error={factors.error} retry={() => void factors.refetch()} />;
  if (!factors.data) return <PartSkeleton height={120} />;
  const hasFactor = factors.data.factors.length > 0;
  const hasPasskey = factors.data.factors.some(({ kind }) => kind === 'passkey') && hasPasskeys();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed !== '') proving.mutate(hasFactor ? { code: typed } : { password: typed });
  };
  const field = {
    value: typed,
    onChange: (event: { currentTarget: { value: string } }) => setTyped(event.currentTarget.value),
    required: true,
    'data-autofocus': true,
    ...STOP_PROPAGATION,
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">{t('factors.proveNote')}</Text>
        {hasFactor ? (
          <TextInput
            label={t('factors.code')}
            description={t('factors.codeHint')}
            autoComplete="one-time-code"
            {...field}
          />
        ) : (
          <PasswordInput label={t('signIn.password')} autoComplete="current-password" {...field} />
        )}
        <ErrorText error={showing.error ?? proving.error} />
        <Group justify="flex-end" gap="xs">
          {hasPasskey && (
            <Button
              variant="default"
              {...STOP_PROPAGATION}
              loading={showing.isPending}
              onClick={() => showing.mutate()}
            >
              {t('factors.byPasskey')}
            </Button>
          )}
          <Button type="submit" {...STOP_PROPAGATION} loading={proving.isPending}>
            {t('factors.prove')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
