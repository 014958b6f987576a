import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { PlannedRun } from '../../api/operations.ts';
import { accountQuery } from '../../api/queries.ts';
import { addDays } from '../../calendar/days.ts';
import { usePlannedRuns } from '../../calendar/use-planned-runs.ts';
import { count } from '../../format/numbers.ts';
import { clockTime, dateIn, shortTime } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { useNow } from '../../parts/relative-time.tsx';
import { Section } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import textClasses from '../../parts/text.module.css';
import { statusOfRun } from '../../parts/status-tone.ts';
import { PostMarks } from '../post-marks.tsx';
import { t } from '../../i18n/translate.ts';
import classes from './agenda.module.css';

/** Older failures no longer need attention. */
const PAST_DAYS = 6;
/** The lines of a day; if there are more, the last one links to the calendar. */
const MAX_RUNS = 7;

/** The runs of today and tomorrow, and whatever needs attention. */
export function Agenda() {
  const zone = useZone();
  const today = dateIn(new Date(useNow()), zone);
  const tomorrow = addDays(today, 1);
  const plan = usePlannedRuns(addDays(today, -PAST_DAYS), tomorrow);
  if (plan.isError) return <ErrorAlert error={plan.error} retry={() => void plan.refetch()} />;
  const { data: runs } = plan;
  if (!runs) return null;
  const on = (day: string) => runs.filter((run) => run.status !== 'cancelled' && dateIn(run.due_at, zone) === day);
  return (
    <div className={classes.agenda}>
      <Section title={t('agenda.goesOut')}>
        <Day title={t('agenda.today')} day={today} runs={on(today)} />
        <Day title={t('agenda.tomorrow')} day={tomorrow} runs={on(tomorrow)} />
      </Section>
      <AttentionList runs={runs} today={today} />
    </div>
  );
}

function Day({ title, day, runs }: { title: string; day: string; runs: readonly PlannedRun[] }) {
  // If there are too many, finished runs are left out first.
  const most = runs.length > MAX_RUNS ? MAX_RUNS - 1 : MAX_RUNS;
  const next = runs.findIndex(isToCome);
  const from = Math.max(0, Math.min(next === -1 ? runs.length : next, runs.length - most));
  const shown = runs.slice(from, from + most);
  return (
    <>
      <h3 className={classes.day}>{title}</h3>
      {runs.length === 0 ? (
        <p className={`${classes.none} ${textClasses.dim}`}>{t('agenda.nothing')}</p>
      ) : (
        <ul className={classes.runs} aria-label={title}>
          {shown.map((run) => (
            <RunLine key={run.run_id} run={run} />
          ))}
          {runs.length > shown.length && (
            <li>
              <Link href={`/calendar?view=week&day=${day}`} className={classes.all}>
                {t('agenda.all', { many: count(runs.length) })}
              </Link>
            </li>
          )}
        </ul>
      )}
    </>
  );
}

function isToCome({ status }: PlannedRun): boolean {
  return status === 'planned' || status === 'running';
}

function RunLine({ run }: { run: PlannedRun }) {
  const zone = useZone();
  const { group_count: groups = 0, sent = 0 } = run;
  return (
    <li>
      <Link href={`/campaigns/${run.campaign_id}`} className={classes.run}>
        <span className={classes.time}>{clockTime(run.due_at, zone)}</span>
        <span className={`${classes.name} ${textClasses.clip}`} dir="auto">
          <PostMarks run={run} zone={zone} />
          {run.name}
        </span>
        <Status of={statusOfRun(run.status, run.campaign_status)} />
        <span className={`${classes.groups} ${textClasses.dim}`}>
          {sent > 0 && sent < groups
            ? t('campaigns.sentOf', { sent: count(sent), all: count(groups) })
            : t('agenda.groups', { groups })}
        </span>
      </Link>
    </li>
  );
}

/** Each problem once, linked to the page that solves it. */
function AttentionList({ runs, today }: { runs: readonly PlannedRun[]; today: string }) {
  const zone = useZone();
  const { data: account } = useQuery(accountQuery);
  const lines: { key: string; href: string; said: string }[] = [];
  // Before all else: nothing below can happen while it lasts.
  if (account?.held_since !== undefined) lines.push({ key: 'held', href: '/account', said: t('agenda.held') });
  if (account && (account.status === 'unlinked' || account.status === 'logged_out'))
    lines.push({ key: 'account', href: '/account', said: t('agenda.notLinked') });
  const byCampaign = Map.groupBy(runs, (run) => run.campaign_id);
  for (const [id, own] of byCampaign) {
    const href = `/campaigns/${id}`;
    const name = own[0]?.name ?? '';
    const failed = own.reduce((sum, run) => sum + (run.failed ?? 0), 0);
    if (failed > 0)
      lines.push({
        key: `${id} failed`,
        href: `${href}?state=failed`,
        said: t('agenda.failed', { name, failed }),
      });
    const missed = own.findLast((run) => run.status === 'missed');
    if (missed)
      lines.push({
        key: `${id} missed`,
        href,
        said: t('agenda.missed', { name, when: shortTime(missed.due_at, zone) }),
      });
    const waits = own.find(
      (run) => isToCome(run) && run.campaign_status === 'paused' && dateIn(run.due_at, zone) >= today,
    );
    if (waits)
      lines.push({
        key: `${id} paused`,
        href,
        said: t('agenda.paused', { name, when: shortTime(waits.due_at, zone) }),
      });
  }
  return (
    <Section title={t('agenda.needsYou')}>
      {lines.length === 0 ? (
        <p className={`${classes.none} ${textClasses.dim}`}>{t('agenda.nothingNeeded')}</p>
      ) : (
        <ul className={classes.runs} aria-label={t('agenda.needsYou')}>
          {lines.map(({ key, href, said }) => (
            <li key={key}>
              <Link href={href} className={classes.need}>
                {said}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
