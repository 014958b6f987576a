import { Link } from 'wouter';
import type { CampaignRow as Row } from '../../api/operations.ts';
import { count, share } from '../../format/numbers.ts';
import { shortTime, zoneName } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { Progress } from '../../parts/progress.tsx';
import { Status } from '../../parts/status.tsx';
import textClasses from '../../parts/text.module.css';
import { mediaName } from '../../format/media-name.ts';
import { t } from '../../i18n/translate.ts';
import classes from './campaign-row.module.css';
import { CampaignRowMenu } from './campaign-row-menu.tsx';

const ENDED: ReadonlySet<Row['status']> = new Set(['completed', 'completed_with_errors', 'cancelled']);

/** The column headings, for the eye only: each row carries its own labels for screen readers. */
export function CampaignHeadings() {
  return (
    <div className={`${classes.row} ${classes.headings}`} aria-hidden="true">
      <span>{t('campaigns.columns.name')}</span>
      <span>{t('campaigns.columns.state')}</span>
      <span>{t('campaigns.columns.sent')}</span>
      <span className={classes.read}>{t('campaigns.columns.read')}</span>
      <span className={classes.when}>{t('campaigns.columns.created')}</span>
    </div>
  );
}

export function CampaignRow({ campaign }: { campaign: Row }) {
  const { progress, next_run_at: nextRunAt, status } = campaign;
  const zone = useZone();
  const waitsFor = status === 'scheduled' ? nextRunAt : null;
  const isOpen = !ENDED.has(status);
  // An ended reminder has sent to all groups but those that it left out: nothing is missing.
  const leftOut = campaign.is_follow_up && !isOpen ? progress.deliveries - progress.sent - progress.failed : 0;
  const isUnsent = waitsFor !== null && progress.deliveries === 0;
  return (
    <li className={classes.item}>
      <Link href={`/campaigns/${campaign.campaign_id}`} className={classes.row}>
        <span className={classes.named}>
          <span className={classes.head}>
            <span className={`${classes.name} ${textClasses.clip}`} dir="auto">
              {campaign.name}
            </span>
            <KindLabel kind={campaign.post_kind} />
          </span>
          <span className={`${classes.post} ${textClasses.dim}`}>{summarizePost(campaign)}</span>
        </span>
        <Status of={campaign.recalled ? 'recalled' : status} />
        <span className={classes.progress} data-waiting={isUnsent || undefined}>
          {waitsFor !== null && (
            <span className={textClasses.dim}>
              {t('campaigns.nextRun', { when: shortTime(waitsFor, zone), zone: zoneName(zone, new Date(waitsFor)) })}
            </span>
          )}
          {progress.deliveries > 0 && (
            <>
              {(isOpen ? progress.sent < progress.deliveries : progress.failed > 0) && (
                <Progress
                  {...progress}
                  deliveries={isOpen ? progress.deliveries : progress.sent + progress.failed}
                  label={t('campaigns.progressLabel', { name: campaign.name })}
                />
              )}
              <span>
                {t('campaigns.sentOf', { sent: count(progress.sent), all: count(progress.deliveries - leftOut) })}
                {progress.failed > 0 && (
                  <span className={`${textClasses.failed} ${textClasses.nowrap}`}>
                    {' '}
                    · {t('campaigns.failed', { failed: count(progress.failed) })}
                  </span>
                )}
                {leftOut > 0 && ` · ${t('campaigns.leftOut', { groups: count(leftOut) })}`}
              </span>
            </>
          )}
        </span>
        {!isUnsent && (
          <span className={`${classes.read} ${textClasses.dim}`}>
            {typeof progress.read_rate === 'number'
              ? t('campaigns.readShare', { rate: share(progress.read_rate) })
              : ''}
          </span>
        )}
        <span className={`${classes.when} ${textClasses.dim}`}>
          <RelativeTime at={campaign.created_at} />
        </span>
      </Link>
      <CampaignRowMenu campaign={campaign} />
    </li>
  );
}

/** Polls and events are named; other posts say by their file what they are. */
function KindLabel({ kind }: { kind: Row['post_kind'] }) {
  if (kind !== 'poll' && kind !== 'event') return null;
  return <span className={classes.kind}>{t(`compose.kinds.${kind}`)}</span>;
}

/** "212 groups · Picture · Follow-up" */
function summarizePost({ group_count: groups = 0, media_mime: mime, is_follow_up: isFollowUp }: Row): string {
  const parts = [
    t('campaigns.groups', { groups }),
    ...(typeof mime === 'string' ? [mediaName(mime)] : []),
    ...(isFollowUp ? [t('followUp.name')] : []),
  ];
  return parts.join(' · ');
}
