import { VisuallyHidden } from '@mantine/core';
import type { PlannedRun } from '../api/operations.ts';
import { exactTime } from '../format/time.ts';
import { t } from '../i18n/translate.ts';
import { Icon, type IconName } from '../parts/icons.tsx';

interface Mark {
  icon: IconName;
  said: string;
}

/** What a run posts beside a text, in words, for a tooltip. */
export function describePost(run: PlannedRun, zone: string): string[] {
  return marksOf(run, zone).map(({ said }) => said);
}

/** The same as icons, and in words for screen readers. */
export function PostMarks({ run, zone }: { run: PlannedRun; zone: string }) {
  return marksOf(run, zone).map(({ icon, said }) => (
    <span key={icon}>
      <Icon name={icon} size={12} style={{ verticalAlign: '-2px', marginInlineEnd: 2 }} />
      <VisuallyHidden>{said} </VisuallyHidden>
    </span>
  ));
}

function marksOf({ post }: PlannedRun, zone: string): Mark[] {
  if (!post) return [];
  const { kind, event_start_at: startAt } = post;
  return [
    ...(kind === 'poll' ? [{ icon: 'list' as const, said: t('compose.kinds.poll') }] : []),
    ...(startAt === null
      ? []
      : [{ icon: 'calendar' as const, said: t('calendar.event', { at: exactTime(startAt, zone) }) }]),
    ...(kind === 'files' ? [{ icon: 'clip' as const, said: t('calendar.files') }] : []),
    ...(post.mention_all ? [{ icon: 'groups' as const, said: t('calendar.mention') }] : []),
    ...(post.pin_for ? [{ icon: 'pin' as const, said: t('calendar.pinned') }] : []),
    ...(post.is_reply ? [{ icon: 'undo' as const, said: t('calendar.reply') }] : []),
  ];
}
