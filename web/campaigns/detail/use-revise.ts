import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { showToast } from '../../parts/notify.ts';
import { count } from '../../format/numbers.ts';
import { words } from '../../words/words.ts';
import { invalidateCampaign } from '../use-campaign-action.ts';

/** What of a campaign is meant: one run, or all of it. */
export interface Target {
  campaignId: string;
  runId: number | undefined;
}

/** Has what was sent deleted for everyone, or edited where there is html, and says in how many groups. Rejects with a CampanileError. */
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
