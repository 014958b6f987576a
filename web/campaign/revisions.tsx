import type { Analytics, GroupRow } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import { Section } from '../parts/page.tsx';
import textClasses from '../parts/text.module.css';
import { words } from '../words/words.ts';
import { Reason, Reasons, Said } from './reasons.tsx';

/** What came of recalls and corrections: in how many groups it was done, and of the others why not. */
export function Revisions({ analytics }: { analytics: Analytics }) {
  const { totals, groups } = analytics;
  const { recalled, corrected } = totals;
  if (recalled === undefined || corrected === undefined) return null;
  const refused = groups.filter(isRefused);
  const reasons = [...Map.groupBy(refused, (group) => group.last_error ?? '')];
  return (
    <Section title={words.revise.title}>
      <Reasons>
        {recalled > 0 && <Said>{words.revise.recalled(recalled, count(recalled))}</Said>}
        {corrected > 0 && <Said>{words.revise.corrected(corrected, count(corrected))}</Said>}
        {recalled + corrected + refused.length === 0 && <li className={textClasses.dim}>{words.revise.underWay}</li>}
        {reasons.map(([reason, hit]) => (
          <Reason
            key={reason}
            what={words.revise.refused(hit.length, count(hit.length))}
            hit={hit}
            more={`${reason}.`}
          />
        ))}
      </Reasons>
    </Section>
  );
}

/** Where it was sent, nothing failed, and there is a reason all the same: it is why a change was refused. */
export function isRefused(group: GroupRow): boolean {
  return group.sent > (group.recalled ?? 0) && group.failed === 0 && group.queued === 0 && group.last_error !== null;
}
