import { Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

/** In place of an empty list: the reason, and the first thing to do, which is a button or a link. */
export function Empty({
  title,
  children,
  action,
  link,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  link?: { href: string; label: string };
}) {
  return (
    <Stack align="center" gap="xs" px="md" py={48}>
      <Text fw={650}>{title}</Text>
      {children && (
        <Text c="dimmed" size="sm" ta="center" maw={440}>
          {children}
        </Text>
      )}
      {action}
      {link && (
        <Button component={Link} href={link.href}>
          {link.label}
        </Button>
      )}
    </Stack>
  );
}
