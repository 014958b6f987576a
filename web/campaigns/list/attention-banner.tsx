import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { accountPath, isBlip, isNeverLinked, isUnused, isUp, useSeveralAccounts } from '../../api/accounts.ts';
import type { ListedAccount, PlannedRun } from '../../api/operations.ts';
import { accountQuery } from '../../api/queries.ts';
import { addDays } from '../../calendar/days.ts';
import { usePlannedRuns } from '../../calendar/use-planned-runs.ts';
import { accountName } from '../../format/account-name.ts';
import { dateIn, shortTime } from '../../format/time.ts';
import { isRest, waitText, type Wait } from '../../format/wait-text.ts';
import { useZone } from '../../format/zone-context.tsx';
import boxClasses from '../../parts/box.module.css';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Icon } from '../../parts/icons.tsx';
import { useNow } from '../../parts/relative-time.tsx';
import { t } from '../../i18n/translate.ts';
import { isUnsent } from '../unsent/is-unsent.ts';
import classes from './attention-banner.module.css';

/** Older failures no longer need attention. */
const PAST_DAYS = 6;
/** More lines than these are shown on request: they would push the campaigns off the screen. */
const MAX_LINES = 4;

interface Line {
  key: string;
  href: string;
  said: string;
}

/** Each problem once, linked to the page that solves it; nothing without problems. */
export function AttentionBanner() {
  const zone = useZone();
  const [isOpen, setOpen] = useState(false);
  const today = dateIn(new Date(useNow()), zone);
  const plan = usePlannedRuns(addDays(today, -PAST_DAYS), addDays(today, 1));
  const account = useAccountLines(plan.data?.some(isToCome) === true);
  if (plan.isError) return <ErrorAlert error={plan.error} retry={() => void plan.refetch()} />;
  if (!plan.data) return null;
  const lines = [...account, ...linesOfRuns(plan.data, today, zone)];
  if (lines.length === 0) return null;
  const shown = isOpen ? lines : lines.slice(0, MAX_LINES);
  return (
    <section className={`${boxClasses.warning} ${classes.attention}`} aria-label={t('attention.title')}>
      <Icon name="alert" size={18} />
      <div className={boxClasses.grow}>
        {/* A single line speaks for itself. */}
        {lines.length > 1 && <h2 className={classes.title}>{t('attention.title')}</h2>}
        <ul className={classes.needs} aria-label={t('attention.title')}>
          {shown.map(({ key, href, said }) => (
            <li key={key}>
              <Link href={href} className={classes.need}>
                {said}
              </Link>
            </li>
          ))}
        </ul>
        {shown.length < lines.length && (
          <Button variant="subtle" size="compact-sm" px={0} onClick={() => setOpen(true)}>
            {t('common.more')}
          </Button>
        )}
      </div>
    </section>
  );
}

/** Before all else: nothing is sent while it lasts. */
function useAccountLines(hasPlan: boolean): Line[] {
  const zone = useZone();
  const { data: account } = useQuery(accountQuery);
  const several = useSeveralAccounts();
  const lines: Line[] = [];
  if (account?.held_since !== undefined) lines.push({ key: 'held', href: '/account', said: t('attention.held') });
  if (several)
    return [
      ...lines,
      ...several
        .filter((one) => !isUp(one) && !isUnused(one))
        .map((one) => ({ key: `account ${one.account_id}`, href: accountPath(one), said: describeDown(one, zone) })),
    ];
  const wait = account?.waits_for;
  if (wait && needsAttention(wait) && (hasPlan || !isNeverLinked(wait)))
    lines.push({ key: 'account', href: '/account', said: waitText(wait, zone) });
  return lines;
}

/** What ends by itself, and a number that is just being linked, need nobody. The banner of a hold has a line of its own. */
function needsAttention(wait: Wait): boolean {
  if (isRest(wait) || wait.reason === 'held' || wait.reason === 'linking') return false;
  return !isBlip(wait);
}

function describeDown(account: ListedAccount, zone: string): string {
  const name = accountName(account);
  const said =
    account.queued > 0 ? t('accounts.waits', { name, posts: account.queued }) : t('accounts.cannotSend', { name });
  return account.waits_for ? `${said} · ${waitText(account.waits_for, zone)}` : said;
}

function linesOfRuns(runs: readonly PlannedRun[], today: string, zone: string): Line[] {
  const lines: Line[] = [];
  const byCampaign = Map.groupBy(runs, (run) => run.campaign_id);
  for (const [id, all] of byCampaign) {
    const own = all.filter((run) => run.left_out !== true);
    const href = `/campaigns/${id}`;
    const name = all[0]?.name ?? '';
    const failed = own.reduce((sum, run) => sum + (run.failed ?? 0), 0);
    if (failed > 0)
      lines.push({
        key: `${id} failed`,
        // Of a run that goes on, more may fail.
        href: own.some(isUnsent) ? '/unsent' : `${href}?state=failed`,
        said: t('attention.failed', { name, failed }),
      });
    const missed = own.findLast((run) => run.status === 'missed');
    if (missed)
      lines.push({
        key: `${id} missed`,
        href: '/unsent',
        said: t('attention.missed', { name, when: shortTime(missed.due_at, zone) }),
      });
    const waits = own.find(
      (run) => isToCome(run) && run.campaign_status === 'paused' && dateIn(run.due_at, zone) >= today,
    );
    if (waits)
      lines.push({
        key: `${id} paused`,
        href,
        said: t('attention.paused', { name, when: shortTime(waits.due_at, zone) }),
      });
  }
  return lines;
}

function isToCome({ status }: PlannedRun): boolean {
  return status === 'planned' || status === 'running';
}
