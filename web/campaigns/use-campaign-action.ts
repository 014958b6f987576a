import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';

export type CampaignAction = 'pause' | 'resume' | 'cancel';

/** Returns a function that runs an action on a campaign and refetches it. Rejects with a CampanileError. */
export function useCampaignAction(campaignId: string): (verb: CampaignAction, signal?: AbortSignal) => Promise<void> {
  const client = useQueryClient();
  return async (verb, signal) => {
    await call(`venom/${verb}-campaign`, { campaign_id: campaignId }, { ...(signal && { signal }) });
    await invalidateCampaign(client, campaignId);
  };
}

/** Refetches everything that shows the campaign. */
export async function invalidateCampaign(client: QueryClient, campaignId: string): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: ['analytics', campaignId] }),
    client.invalidateQueries({ queryKey: ['campaign', campaignId] }),
    client.invalidateQueries({ queryKey: ['campaigns'] }),
    client.invalidateQueries({ queryKey: ['runs'] }),
  ]);
}
