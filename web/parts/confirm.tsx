import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { words } from '../words/words.ts';
import { Problem } from './failed.tsx';

/** Says what will happen, and does it when told so. What goes wrong is said in the same place. */
export function Confirm({
  opened,
  close,
  title,
  action,
  act,
  children,
  danger = false,
}: {
  opened: boolean;
  close: () => void;
  title: string;
  action: string;
  act: () => Promise<unknown>;
  children: ReactNode;
  danger?: boolean;
}) {
  const acting = useMutation({ mutationFn: act, onSuccess: close });
  return (
    <Modal opened={opened} onClose={close} title={title} onExitTransitionEnd={acting.reset}>
      <Stack gap="md">
        {typeof children === 'string' ? <Text size="sm">{children}</Text> : children}
        <Problem error={acting.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
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
