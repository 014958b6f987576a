import type { Analytics, GroupRow } from '../../api/operations.ts';
import { count } from '../../format/numbers.ts';
import { failureNote } from '../../format/failure-text.ts';
import { Progress } from '../../parts/progress.tsx';
import { Section, SectionNote } from '../../parts/page.tsx';
import textClasses from '../../parts/text.module.css';
import { t } from '../../i18n/translate.ts';
import { OutcomeReason, OutcomeList, Outcome } from './outcome-list.tsx';
import classes from './revisions.module.css';

/** The results of recalls and corrections: how many groups succeeded, and why the others failed. */
export function Revisions({ analytics }: { analytics: Analytics }) {
  const { totals, groups } = analytics;
  const { recalled, corrected } = totals;
  // Before anything was sent, a recall is a cancellation.
  if (recalled === undefined || corrected === undefined || totals.sent === 0) return null;
  const refused = groups.filter(isRefused);
  const changed = [recalled, corrected].find((posts) => posts > 0);
  if (changed === totals.sent && recalled + corrected === changed && refused.length === 0)
    return (
      <SectionNote title={t('revise.title')}>
        {recalled > 0 ? t('revise.recalled', { posts: recalled }) : t('revise.corrected', { posts: corrected })}
      </SectionNote>
    );
  const reasons = [...Map.groupBy(refused, (group) => failureNote({ ...group, error: group.last_error }))];
  return (
    <Section title={t('revise.title')}>
      <OutcomeList>
        {recalled > 0 && (
          <Done all={totals.sent} done={recalled}>
            {recalled < totals.sent
              ? t('revise.recalledOf', { some: count(recalled), posts: totals.sent })
              : t('revise.recalled', { posts: recalled })}
          </Done>
        )}
        {corrected > 0 && (
          <Done all={totals.sent} done={corrected}>
            {corrected < totals.sent
              ? t('revise.correctedOf', { some: count(corrected), posts: totals.sent })
              : t('revise.corrected', { posts: corrected })}
          </Done>
        )}
        {recalled + corrected + refused.length === 0 && <li className={textClasses.dim}>{t('revise.underWay')}</li>}
        {reasons.map(([reason, hit]) => (
          <OutcomeReason key={reason} what={t('revise.refused', { groups: hit.length })} hit={hit} more={reason} />
        ))}
      </OutcomeList>
    </Section>
  );
}

/** How many of the sent posts are changed, in words and as a bar. */
function Done({ all, done, children }: { all: number; done: number; children: string }) {
  return (
    <Outcome>
      <div className={classes.done}>
        <span>{children}</span>
        <Progress deliveries={all} sent={done} failed={0} label={children} />
      </div>
    </Outcome>
  );
}

/** A group whose post was sent without failures and still has an error: the revision was rejected. */
export function isRefused(group: GroupRow): boolean {
  return group.sent > (group.recalled ?? 0) && group.failed === 0 && group.queued === 0 && group.last_error !== null;
}
