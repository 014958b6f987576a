import { Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Sample } from './lazy-sample.tsx';
import type { SampleKind } from './sample.tsx';

/**
 * In place of an empty list: the reason, the first thing to do, which is a button or a link, and a sample of what will stand there. A search
 * that finds nothing has no sample. `isSmall`: as a part of a card.
 */
export function Empty({
  title,
  children,
  action,
  link,
  sample,
  isSmall = false,
}: {
  title?: string;
  children?: ReactNode;
  action?: ReactNode;
  link?: { href: string; label: string };
  sample?: SampleKind | undefined;
  isSmall?: boolean;
}) {
  return (
    <Stack align="center" gap="xs" {...(isSmall ? { py: 'xs' } : { px: 'md', py: 48 })}>
      {title !== undefined && <Text fw={650}>{title}</Text>}
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
      {sample && <Sample of={sample} />}
    </Stack>
  );
}
