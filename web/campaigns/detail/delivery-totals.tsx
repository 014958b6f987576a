import type { Analytics, GroupRow } from '../../api/operations.ts';
import { count, share } from '../../format/numbers.ts';
import { Figure, Figures } from '../../parts/figures.tsx';
import { DeliveryTicks } from '../../parts/delivery-ticks.tsx';
import { t } from '../../i18n/translate.ts';

/** The totals of the campaign. Channels have views instead of reads. */
export function DeliveryTotals({ totals, groups }: Pick<Analytics, 'totals' | 'groups'>) {
  const reached = groups.filter((group) => group.sent > 0).length;
  const members = countMembers(groups);
  return (
    <Figures label={t('campaign.figures')} dense>
      <Figure label={t('campaign.groupsReached')} value={count(reached)}>
        {t('campaign.ofGroups', { all: count(totals.groups) })}
      </Figure>
      {totals.deliveries > totals.groups && (
        <Figure label={t('campaign.posts')} value={count(totals.sent)}>
          {t('campaign.ofPosts', { all: count(totals.deliveries) })}
        </Figure>
      )}
      <Figure
        label={t('campaign.delivered')}
        value={share(totals.delivery_rate)}
        sign={<DeliveryTicks kind="delivered" />}
      >
        {t('campaign.people', { some: count(totals.delivered), all: count(members) })}
      </Figure>
      <Figure label={t('campaign.read')} value={share(totals.read_rate)} sign={<DeliveryTicks kind="read" />}>
        {t('campaign.people', { some: count(totals.read), all: count(members) })}
      </Figure>
      {groups.some((group) => group.kind === 'channel') && (
        <Figure label={t('campaign.views')} value={count(totals.views)} />
      )}
      <Figure label={t('campaign.reactions')} value={count(totals.reactions)} />
      <Figure label={t('campaign.replies')} value={count(totals.replies)} />
    </Figures>
  );
}

/** Returns the denominator of the rates: each member once per post. Followers of channels send no receipts. */
function countMembers(groups: readonly GroupRow[]): number {
  return groups.reduce((sum, { kind, recipients }) => (kind === 'channel' ? sum : sum + recipients), 0);
}
