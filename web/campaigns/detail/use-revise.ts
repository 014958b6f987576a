import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { showToast } from '../../parts/notify.ts';
import { count } from '../../format/numbers.ts';
import { words } from '../../words/words.ts';
import { invalidateCampaign } from '../use-campaign-action.ts';

/** What to revise: one run, or the whole campaign. */
export interface Target {
  campaignId: string;
  runId: number | undefined;
}

/** Recalls sent posts, or corrects them if `html` is given, and shows in how many groups. Rejects with a CampanileError. */
export function useRevise({ campaignId, runId }: Target): (signal: AbortSignal, html?: string) => Promise<void> {
  const client = useQueryClient();
  return async (signal, html) => {
    const target = { campaign_id: campaignId, run_id: runId };
    const { groups } =
      html === undefined
        ? await call('venom/recall-campaign', target, { signal })
        : await call('venom/correct-campaign', { ...target, html }, { signal });
    const said = html === undefined ? words.revise.recalling : words.revise.correcting;
    showToast(said(groups, count(groups)));
    await invalidateCampaign(client, campaignId);
  };
}
