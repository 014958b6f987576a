import { Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { useDisconnectedSince } from '../api/connection.ts';
import { clockTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { mayHeadingTakeFocus } from './heading-focus.ts';
import { PRODUCT } from './product.ts';
import { Sample } from './lazy-sample.tsx';
import type { SampleKind } from './sample.tsx';
import { t } from '../i18n/translate.ts';
import boxClasses from './box.module.css';
import classes from './page.module.css';

/** The heading of a page and its actions. Opening a page moves the focus to its heading, so that screen readers announce it. */
export function Page({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${PRODUCT}`;
  }, [title]);
  useEffect(() => {
    if (mayHeadingTakeFocus()) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className={classes.page}>
      <Group justify="space-between" align="center" mb="lg" gap="sm">
        <Title order={1} size="h2" ref={heading} tabIndex={-1} className={classes.title} dir="auto">
          {title}
        </Title>
        <AsOf />
        {actions && (
          <Group gap="xs" className={classes.actions}>
            {actions}
          </Group>
        )}
      </Group>
      {children}
    </div>
  );
}

/** Says from when the data is while there is no connection. */
function AsOf() {
  const zone = useZone();
  const lostSince = useDisconnectedSince();
  if (lostSince === undefined) return null;
  return (
    <Text size="sm" c="dimmed" className={classes.asOf} data-stale>
      {t('connection.asOf', { time: clockTime(new Date(lostSince), zone) })}
    </Text>
  );
}

/** A skeleton that appears late, so that fast responses do not flicker. */
export function PageSkeleton() {
  if (useDisconnectedSince() !== undefined)
    return (
      <Text className={classes.page} role="status">
        {t('connection.notAsked')}
      </Text>
    );
  return (
    <Stack className={`${classes.page} ${classes.skeleton}`} gap="md" aria-hidden="true" data-skeleton>
      <Skeleton height={32} width={220} />
      <RowsSkeleton rows={5} />
    </Stack>
  );
}

export function RowsSkeleton({ rows, height = 44 }: { rows: number; height?: number }) {
  return (
    <Stack gap="xs" className={classes.skeleton} aria-hidden="true" data-skeleton>
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={height} />
      ))}
    </Stack>
  );
}

/** In place of one part that is still loading. */
export function PartSkeleton({ height }: { height: number }) {
  if (useDisconnectedSince() !== undefined)
    return (
      <Text size="sm" c="dimmed">
        {t('connection.notAsked')}
      </Text>
    );
  return <Skeleton height={height} className={classes.skeleton} data-skeleton />;
}

/** A section that is a single sentence, which needs no card, with a sample of what will stand there. */
export function SectionNote({ title, sample, children }: { title: string; sample?: SampleKind; children: ReactNode }) {
  return (
    <section className={classes.note} aria-label={title}>
      <Text size="sm">
        <strong>{title}</strong> · {children}
      </Text>
      {sample && <Sample of={sample} />}
    </section>
  );
}

/** A section of a page. */
export function Section({ title, children, aside }: { title: string; children: ReactNode; aside?: ReactNode }) {
  return (
    <section className={`${boxClasses.surface} ${classes.section}`} aria-label={title}>
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
