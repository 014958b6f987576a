import { VisuallyHidden } from '@mantine/core';
import { Link } from 'wouter';
import type { Report } from '../api/operations.ts';
import { shortTime } from '../format/time.ts';
import { Icon, type IconName } from '../parts/icons.tsx';
import { t } from '../i18n/translate.ts';
import classes from './report.module.css';

export type Run = NonNullable<Report['runs']>[number];

const ICONS: Readonly<Record<Run['post_kind'], IconName>> = {
  text: 'phone',
  file: 'file',
  files: 'clip',
  poll: 'list',
  event: 'calendar',
};

/** What a run posted, with a small picture of it, and when. */
export function RunName({ run, zone, isLink }: { run: Run; zone: string; isLink: boolean }) {
  const { campaign_id: id, name } = run.campaign;
  const kind = run.post_kind;
  return (
    <span className={classes.post}>
      <span className={classes.thumbnail}>
        {run.thumbnail === null ? <Icon name={ICONS[kind]} size={18} /> : <img src={run.thumbnail} alt="" />}
      </span>
      <span className={classes.postName}>
        {(kind === 'poll' || kind === 'event') && <VisuallyHidden>{t(`compose.kinds.${kind}`)} </VisuallyHidden>}
        {isLink ? (
          <Link href={`/campaigns/${id}`} dir="auto">
            {name}
          </Link>
        ) : (
          <span dir="auto">{name}</span>
        )}
        <span className={classes.below}>{shortTime(run.started_at, zone)}</span>
      </span>
    </span>
  );
}
