import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Analytics, GroupRow } from '../../api/operations.ts';
import { campaignQuery } from '../../api/queries.ts';
import { count } from '../../format/numbers.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { showToast } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import { invalidateCampaign } from '../use-campaign-action.ts';

/** Removes groups from the remaining runs. `left`: how many. */
export function ExcludeGroupsButton({
  campaign: { campaign_id: id, name },
  left,
  others,
}: {
  campaign: Analytics['campaign'];
  left: number;
  others: readonly GroupRow[];
}) {
  const client = useQueryClient();
  const { data: post } = useQuery(campaignQuery(id));
  // Groups that were removed earlier stay out; the order is kept.
  const kinds = new Map(others.map((group) => [group.group_metadata_id, group.kind]));
  const rest = post?.group_metadata_ids.filter((group) => kinds.has(group)) ?? [];
  if (rest.length === 0 || rest.length === post?.group_metadata_ids.length) return null;
  const act = async () => {
    await call('venom/update-campaign', {
      campaign_id: id,
      group_metadata_ids: rest,
      is_channel_campaign: rest.every((group) => kinds.get(group) === 'channel'),
    });
    await invalidateCampaign(client, id);
    showToast(words.campaign.leftOut(left, count(left)));
  };
  return (
    <ConfirmButton size="xs" title={words.campaign.leaveOutTitle(name)} action={words.campaign.leaveOut} act={act}>
      {words.campaign.leaveOutNote(left, count(left), count(rest.length))}
    </ConfirmButton>
  );
}
