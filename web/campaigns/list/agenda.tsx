import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { PlannedRun } from '../../api/operations.ts';
import { accountQuery } from '../../api/queries.ts';
import { addDays } from '../../calendar/days.ts';
import { usePlannedRuns } from '../../calendar/use-planned-runs.ts';
import { count } from '../../format/numbers.ts';
import { clockTime, dateIn, shortTime } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import boxClasses from '../../parts/box.module.css';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Icon } from '../../parts/icons.tsx';
import { useNow } from '../../parts/relative-time.tsx';
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

/** What needs attention, if anything does, and the runs to come today and tomorrow. */
export function Agenda() {
  const zone = useZone();
  const today = dateIn(new Date(useNow()), zone);
  const tomorrow = addDays(today, 1);
  const plan = usePlannedRuns(addDays(today, -PAST_DAYS), tomorrow);
  if (plan.isError) return <ErrorAlert error={plan.error} retry={() => void plan.refetch()} />;
  const { data: runs } = plan;
  if (!runs) return null;
  const on = (day: string) => runs.filter((run) => isToCome(run) && dateIn(run.due_at, zone) === day);
  const [now, next] = [on(today), on(tomorrow)];
  return (
    <>
      <AttentionBanner runs={runs} today={today} />
      {now.length + next.length > 0 && (
        <section className={classes.agenda} aria-label={t('agenda.goesOut')}>
          <h2 className={classes.title}>{t('agenda.goesOut')}</h2>
          <Day title={t('agenda.today')} day={today} runs={now} />
          <Day title={t('agenda.tomorrow')} day={tomorrow} runs={next} />
        </section>
      )}
    </>
  );
}

function Day({ title, day, runs }: { title: string; day: string; runs: readonly PlannedRun[] }) {
  if (runs.length === 0) return null;
  const shown = runs.length > MAX_RUNS ? runs.slice(0, MAX_RUNS - 1) : runs;
  return (
    <>
      <h3 className={classes.day}>{title}</h3>
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

/** Each problem once, linked to the page that solves it; nothing without problems. */
function AttentionBanner({ runs, today }: { runs: readonly PlannedRun[]; today: string }) {
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
  if (lines.length === 0) return null;
  return (
    <section className={classes.attention} aria-label={t('agenda.needsYou')}>
      <Icon name="alert" size={18} />
      <div className={boxClasses.grow}>
        <h2 className={classes.title}>{t('agenda.needsYou')}</h2>
        <ul className={classes.needs} aria-label={t('agenda.needsYou')}>
          {lines.map(({ key, href, said }) => (
            <li key={key}>
              <Link href={href} className={classes.need}>
                {said}
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
