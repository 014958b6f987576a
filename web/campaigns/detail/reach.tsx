import type { Analytics, GroupRow } from '../../api/operations.ts';
import { Section } from '../../parts/page.tsx';
import { t } from '../../i18n/translate.ts';
import { OutcomeReason, OutcomeList, Outcome } from './outcome-list.tsx';

/** The results of pins and mentions: how many posts are pinned, what is still to be done, and why some were left out. */
export function ReachResults({ analytics }: { analytics: Analytics }) {
  const { totals, groups } = analytics;
  const { pinned, pins_waiting: waiting = 0, mentions_left_out: leftOut = 0 } = totals;
  if (pinned === undefined && leftOut === 0) return null;
  const refused = reasonsOf(groups, (group) => group.pin_error);
  const unmentioned = reasonsOf(groups, (group) => group.mention_left_out);
  return (
    <Section title={t('pin.results')}>
      <OutcomeList>
        {pinned !== undefined && <Outcome>{t('pin.pinned', { posts: pinned })}</Outcome>}
        {waiting > 0 && <Outcome>{t('pin.waiting', { posts: waiting })}</Outcome>}
        {refused.map(([reason, hit]) => (
          <OutcomeReason key={reason} what={t('pin.refused', { groups: hit.length })} hit={hit} more={`${reason}.`} />
        ))}
        {unmentioned.map(([reason, hit]) => (
          <OutcomeReason
            key={reason}
            what={t('pin.notMentioned', { groups: hit.length })}
            hit={hit}
            more={`${reason}.`}
          />
        ))}
      </OutcomeList>
    </Section>
  );
}

function reasonsOf(
  groups: readonly GroupRow[],
  reasonOf: (group: GroupRow) => string | null | undefined,
): Array<[string, GroupRow[]]> {
  const hit = groups.filter((group) => reasonOf(group) != null);
  return [...Map.groupBy(hit, (group) => reasonOf(group) ?? '')];
}
