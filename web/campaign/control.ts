import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';

export type Verb = 'pause' | 'resume' | 'cancel' | 'retry';

/** Tells the service what to do with a campaign, and has what is shown of it asked for anew. Rejects with a CampanileError. */
export function useControl(campaignId: string): (verb: Verb) => Promise<void> {
  const client = useQueryClient();
  return async (verb) => {
    await call(`venom/${verb}-campaign`, { campaign_id: campaignId });
    await Promise.all([
      client.invalidateQueries({ queryKey: ['analytics', campaignId] }),
      client.invalidateQueries({ queryKey: ['campaign', campaignId] }),
      client.invalidateQueries({ queryKey: ['campaigns'] }),
    ]);
  };
}
