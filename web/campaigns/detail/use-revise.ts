import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Body } from '../../api/operations.ts';
import { showToast } from '../../parts/notify.ts';
import { t } from '../../i18n/translate.ts';
import { invalidateCampaign } from '../use-campaign-action.ts';

/** What to revise: one run, or the whole campaign. */
export interface Target {
  campaignId: string;
  runId: number | undefined;
}

type Correction = Omit<Body<'venom/correct-campaign'>, 'campaign_id' | 'run_id'>;

/** Recalls sent posts, or corrects them if there is a correction, and shows in how many groups. Rejects with a CampanileError. */
export function useRevise({
  campaignId,
  runId,
}: Target): (signal: AbortSignal, correction?: Correction) => Promise<void> {
  const client = useQueryClient();
  return async (signal, correction) => {
    const target = { campaign_id: campaignId, run_id: runId };
    const { groups } = correction
      ? await call('venom/correct-campaign', { ...target, ...correction }, { signal })
      : await call('venom/recall-campaign', target, { signal });
    showToast(t(correction ? 'revise.correcting' : 'revise.recalling', { groups }));
    await invalidateCampaign(client, campaignId);
  };
}
