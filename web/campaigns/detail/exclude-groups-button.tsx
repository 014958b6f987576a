import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Analytics, GroupRow } from '../../api/operations.ts';
import { campaignQuery } from '../../api/queries.ts';
import { useMay } from '../../api/workspace.ts';
import { count } from '../../format/numbers.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { showToast } from '../../parts/notify.ts';
import { t } from '../../i18n/translate.ts';
import { invalidateCampaign } from '../use-campaign-action.ts';

/** Removes groups from the remaining runs, for those who may send. `left`: how many. */
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
  const maySend = useMay('manager') !== false;
  if (!maySend || rest.length === 0 || rest.length === post?.group_metadata_ids.length) return null;
  const act = async () => {
    await call('venom/update-campaign', {
      campaign_id: id,
      group_metadata_ids: rest,
      is_channel_campaign: rest.every((group) => kinds.get(group) === 'channel'),
    });
    await invalidateCampaign(client, id);
    showToast(t('campaign.leftOut', { groups: left }));
  };
  return (
    <ConfirmButton size="xs" title={t('campaign.leaveOutTitle', { name })} action={t('campaign.leaveOut')} act={act}>
      {t('campaign.leaveOutNote', { groups: left, rest: count(rest.length) })}
    </ConfirmButton>
  );
}
