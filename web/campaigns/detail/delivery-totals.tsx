import type { Analytics, GroupRow } from '../../api/operations.ts';
import { count, share } from '../../format/numbers.ts';
import { Figure, Figures } from '../../parts/figures.tsx';
import { DeliveryTicks } from '../../parts/delivery-ticks.tsx';
import { words } from '../../words/words.ts';

/** The totals of the campaign. Channels have views instead of reads. */
export function DeliveryTotals({ totals, groups }: Pick<Analytics, 'totals' | 'groups'>) {
  const reached = groups.filter((group) => group.sent > 0).length;
  const members = countMembers(groups);
  return (
    <Figures label={words.campaign.figures} dense>
      <Figure label={words.campaign.groupsReached} value={count(reached)}>
        {words.campaign.ofGroups(count(totals.groups))}
      </Figure>
      {totals.deliveries > totals.groups && (
        <Figure label={words.campaign.posts} value={count(totals.sent)}>
          {words.campaign.ofPosts(count(totals.deliveries))}
        </Figure>
      )}
      <Figure
        label={words.campaign.delivered}
        value={share(totals.delivery_rate)}
        sign={<DeliveryTicks kind="delivered" />}
      >
        {words.campaign.people(count(totals.delivered), count(members))}
      </Figure>
      <Figure label={words.campaign.read} value={share(totals.read_rate)} sign={<DeliveryTicks kind="read" />}>
        {words.campaign.people(count(totals.read), count(members))}
      </Figure>
      {groups.some((group) => group.kind === 'channel') && (
        <Figure label={words.campaign.views} value={count(totals.views)} />
      )}
      <Figure label={words.campaign.reactions} value={count(totals.reactions)} />
      <Figure label={words.campaign.replies} value={count(totals.replies)} />
    </Figures>
  );
}

/** Returns the denominator of the rates: each member once per post. Followers of channels send no receipts. */
function countMembers(groups: readonly GroupRow[]): number {
  return groups.reduce((sum, { kind, recipients }) => (kind === 'channel' ? sum : sum + recipients), 0);
}
