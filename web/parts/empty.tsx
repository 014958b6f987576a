import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** In place of a list with nothing in it: why, and what to do first. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <Stack align="center" gap="xs" className="empty">
      <Title order={3} size="h5">
        {title}
      </Title>
      {children && (
        <Text c="dimmed" size="sm" ta="center" maw={440}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}
