import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { words } from '../words/words.ts';
import { ErrorText } from './error-alert.tsx';

export interface ConfirmProps {
  opened: boolean;
  close: () => void;
  title: string;
  /** The label of the button that confirms. */
  action: string;
  act: (signal: AbortSignal) => Promise<unknown>;
  children: ReactNode;
  danger?: boolean;
}

/** A dialog that asks before it acts. It shows the error of a failed action; closing it cancels the action while it is in flight. */
export function ConfirmDialog({ opened, close, title, action, act, children, danger = false }: ConfirmProps) {
  const acting = useCancellableMutation({ act: (_nothing: void, signal) => act(signal), onSuccess: close });
  const leave = () => {
    acting.cancel();
    close();
  };
  return (
    <Modal opened={opened} onClose={leave} title={title} onExitTransitionEnd={acting.reset}>
      <Stack gap="md">
        {typeof children === 'string' ? <Text size="sm">{children}</Text> : children}
        <ErrorText error={acting.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={leave}>
            {words.back}
          </Button>
          <Button
            data-autofocus
            {...(danger && { color: 'red.9' })}
            loading={acting.isPending}
            onClick={() => acting.mutate()}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
