import type { Analytics, GroupRow } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import { Section } from '../parts/page.tsx';
import { words } from '../words/words.ts';

const NAMED = 3;

/** What came of recalls and corrections: in how many groups it was done, and of the others why not. */
export function Revisions({ analytics }: { analytics: Analytics }) {
  const { totals, groups } = analytics;
  const { recalled, corrected } = totals;
  if (recalled === undefined || corrected === undefined) return null;
  const refused = groups.filter(isRefused);
  const reasons = [...Map.groupBy(refused, (group) => group.last_error ?? '')];
  return (
    <Section title={words.revise.title}>
      <ul className="reasons">
        {recalled > 0 && <li className="reason-what">{words.revise.recalled(recalled, count(recalled))}</li>}
        {corrected > 0 && <li className="reason-what">{words.revise.corrected(corrected, count(corrected))}</li>}
        {recalled + corrected + refused.length === 0 && <li className="dim">{words.revise.underWay}</li>}
        {reasons.map(([reason, hit]) => {
          const names = hit.slice(0, NAMED).map((group) => group.group_name);
          return (
            <li key={reason}>
              <div className="grow">
                <p className="reason-what">{words.revise.refused(hit.length, count(hit.length))}</p>
                <p className="dim">{words.campaign.named(names, hit.length - names.length)}</p>
                <p>{reason}.</p>
              </div>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

/** Where it was sent, nothing failed, and there is a reason all the same: it is why a change was refused. */
export function isRefused(group: GroupRow): boolean {
  return group.sent > (group.recalled ?? 0) && group.failed === 0 && group.queued === 0 && group.last_error !== null;
}
