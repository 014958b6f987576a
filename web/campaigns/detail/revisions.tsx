import type { Analytics, GroupRow } from '../../api/operations.ts';
import { count } from '../../format/numbers.ts';
import { Section } from '../../parts/page.tsx';
import textClasses from '../../parts/text.module.css';
import { words } from '../../words/words.ts';
import { OutcomeReason, OutcomeList, Outcome } from './outcome-list.tsx';

/** The results of recalls and corrections: how many groups succeeded, and why the others failed. */
export function Revisions({ analytics }: { analytics: Analytics }) {
  const { totals, groups } = analytics;
  const { recalled, corrected } = totals;
  if (recalled === undefined || corrected === undefined) return null;
  const refused = groups.filter(isRefused);
  const reasons = [...Map.groupBy(refused, (group) => group.last_error ?? '')];
  return (
    <Section title={words.revise.title}>
      <OutcomeList>
        {recalled > 0 && <Outcome>{words.revise.recalled(recalled, count(recalled))}</Outcome>}
        {corrected > 0 && <Outcome>{words.revise.corrected(corrected, count(corrected))}</Outcome>}
        {recalled + corrected + refused.length === 0 && <li className={textClasses.dim}>{words.revise.underWay}</li>}
        {reasons.map(([reason, hit]) => (
          <OutcomeReason
            key={reason}
            what={words.revise.refused(hit.length, count(hit.length))}
            hit={hit}
            more={`${reason}.`}
          />
        ))}
      </OutcomeList>
    </Section>
  );
}

/** A group whose post was sent without failures and still has an error: the revision was rejected. */
export function isRefused(group: GroupRow): boolean {
  return group.sent > (group.recalled ?? 0) && group.failed === 0 && group.queued === 0 && group.last_error !== null;
}
