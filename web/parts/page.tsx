import { Group, Skeleton, Stack, Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { words } from '../words/words.ts';

/** The heading of a page and what can be done there. Coming to a page puts the focus on its heading, so that it is read out. */
export function Page({
  title,
  actions,
  children,
  wide = false,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
  wide?: boolean;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${words.product}`;
  }, [title]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <div className={wide ? 'page page-wide' : 'page'}>
      <Group justify="space-between" align="center" mb="lg" gap="sm">
        <Title order={1} size="h2" ref={heading} tabIndex={-1} className="page-title">
          {title}
        </Title>
        {actions && (
          <Group gap="xs" className="page-actions">
            {actions}
          </Group>
        )}
      </Group>
      {children}
    </div>
  );
}

/** In place of what is not there yet; shown late, so that what comes quickly does not flicker. */
export function PageSkeleton() {
  return (
    <Stack className="page late" gap="md" aria-hidden="true">
      <Skeleton height={32} width={220} />
      <RowsSkeleton rows={5} />
    </Stack>
  );
}

export function RowsSkeleton({ rows, height = 44 }: { rows: number; height?: number }) {
  return (
    <Stack gap="xs" className="late" aria-hidden="true">
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={height} />
      ))}
    </Stack>
  );
}

/** A part of a page. */
export function Section({ title, children, aside }: { title: string; children: ReactNode; aside?: ReactNode }) {
  return (
    <section className="section" aria-label={title}>
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2} size="h4">
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </section>
  );
}
