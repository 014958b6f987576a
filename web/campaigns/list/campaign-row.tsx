import { Link } from 'wouter';
import { parseWhatsApp } from '../../../src/content/text/parse-whatsapp.ts';
import { useQuery } from '@tanstack/react-query';
import { useSeveralAccounts } from '../../api/accounts.ts';
import type { CampaignRow as Row } from '../../api/operations.ts';
import { accountQuery } from '../../api/queries.ts';
import { count, share } from '../../format/numbers.ts';
import { shortTime, zoneName } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { Progress } from '../../parts/progress.tsx';
import { Status, Waiting } from '../../parts/status.tsx';
import boxClasses from '../../parts/box.module.css';
import textClasses from '../../parts/text.module.css';
import { mediaName } from '../../format/media-name.ts';
import { t } from '../../i18n/translate.ts';
import classes from './campaign-row.module.css';
import type { Period } from './group-by-period.ts';
import { CampaignRowMenu } from './campaign-row-menu.tsx';

const ENDED: ReadonlySet<Row['status']> = new Set(['completed', 'completed_with_errors', 'cancelled']);

/** One line: of a campaign to come when it is sent next, of another one how it went. */
export function CampaignRow({ campaign, period }: { campaign: Row; period: Period }) {
  const { progress, next_run_at: nextRunAt, status } = campaign;
  const zone = useZone();
  const isOpen = !ENDED.has(status);
  // An ended reminder has sent to all groups but those that it left out: nothing is missing.
  const leftOut = campaign.is_follow_up && !isOpen ? progress.deliveries - progress.sent - progress.failed : 0;
  const excerpt =
    period === 'next' && typeof campaign.excerpt === 'string' ? withoutMarks(campaign.excerpt) : undefined;
  return (
    <li className={classes.item}>
      <Link href={`/campaigns/${campaign.campaign_id}`} className={classes.row} data-period={period}>
        {period === 'next' && nextRunAt !== null && (
          <span className={classes.time}>
            {shortTime(nextRunAt, zone)} <span className={textClasses.dim}>{zoneName(zone, new Date(nextRunAt))}</span>
          </span>
        )}
        <span className={classes.named}>
          <span className={`${classes.name} ${textClasses.clip}`} dir="auto">
            {campaign.name}
          </span>
          <KindLabel kind={campaign.post_kind} />
          {campaign.tags.map((tag) => (
            <span key={tag} className={classes.kind} dir="auto">
              {tag}
            </span>
          ))}
          {/* Most campaigns are named by their first words. */}
          {excerpt !== undefined && excerpt !== campaign.name && (
            <span className={`${boxClasses.inset} ${classes.bubble} ${textClasses.clip}`} dir="auto">
              {excerpt}
            </span>
          )}
          <span className={`${classes.post} ${textClasses.dim}`}>{summarizePost(campaign)}</span>
        </span>
        <span className={classes.progress}>
          {period === 'now' && progress.deliveries > 0 && (
            <Progress {...progress} label={t('campaigns.progressLabel', { name: campaign.name })} />
          )}
          {progress.deliveries > 0 && (
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
          )}
        </span>
        <span className={`${classes.read} ${textClasses.dim}`}>
          {typeof progress.read_rate === 'number' ? t('campaigns.readShare', { rate: share(progress.read_rate) }) : ''}
        </span>
        {period === 'now' ? <SendingStatus /> : <Status of={campaign.recalled ? 'recalled' : status} />}
        {period !== 'next' && (
          <span className={`${classes.when} ${textClasses.dim}`}>
            <RelativeTime at={campaign.created_at} />
          </span>
        )}
      </Link>
      <CampaignRowMenu campaign={campaign} />
    </li>
  );
}

/** Says that posts wait where the only account does. Of several, which of them a campaign waits for is told on its page. */
function SendingStatus() {
  const several = useSeveralAccounts();
  const { data: account } = useQuery(accountQuery);
  const wait = several ? undefined : account?.waits_for;
  return wait && (wait.reason !== 'warm_up' || wait.until !== null) ? (
    <Waiting until={wait.until} />
  ) : (
    <Status of="running" />
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

/** The words of a message, in one line. */
function withoutMarks(message: string): string {
  const lines = parseWhatsApp(message).map(({ runs }) => runs.map(({ text }) => text).join(''));
  return lines.join(' ').trim();
}
