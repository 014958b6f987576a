import { SegmentedControl } from '@mantine/core';
import { lazy, Suspense, type ReactNode } from 'react';
import { lazyWithRetry } from '../parts/lazy-with-retry.ts';
import { PartSkeleton } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';
import { EMPTY_EVENT, EMPTY_POLL, NO_BALLOT, type DraftBallot } from './ballot.ts';

const PollField = lazy(lazyWithRetry(() => import('./poll-field.tsx')));
const EventField = lazy(lazyWithRetry(() => import('./event-field.tsx')));

type Kind = 'text' | 'poll' | 'event';

function kindOf({ poll, event }: DraftBallot): Kind {
  if (poll) return 'poll';
  return event ? 'event' : 'text';
}

const BLANK: Readonly<Record<Kind, DraftBallot>> = {
  text: NO_BALLOT,
  poll: { ...NO_BALLOT, poll: EMPTY_POLL },
  event: { ...NO_BALLOT, event: EMPTY_EVENT },
};

/** Chooses between a text (`children`), a poll and an event. A post is one of them. */
export function BallotSection({
  ballot,
  timeZone,
  update,
  children,
}: {
  ballot: DraftBallot;
  timeZone: string;
  update: (next: DraftBallot) => void;
  children: ReactNode;
}) {
  const kind = kindOf(ballot);
  return (
    <>
      <SegmentedControl
        aria-label={t('compose.kind')}
        value={kind}
        onChange={(next) => update(BLANK[next as Kind])}
        data={[
          { value: 'text', label: t('compose.kinds.text') },
          { value: 'poll', label: t('compose.kinds.poll') },
          { value: 'event', label: t('compose.kinds.event') },
        ]}
      />
      {kind === 'text' && children}
      <Suspense fallback={<PartSkeleton height={220} />}>
        {ballot.poll && <PollField poll={ballot.poll} onChange={(poll) => update({ poll, event: null })} />}
        {ballot.event && (
          <EventField event={ballot.event} timeZone={timeZone} onChange={(event) => update({ event, poll: null })} />
        )}
      </Suspense>
    </>
  );
}
