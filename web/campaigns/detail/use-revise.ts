import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Card } from '../../compose/card.ts';
import { showToast } from '../../parts/notify.ts';
import { t } from '../../i18n/translate.ts';
import { invalidateCampaign } from '../use-campaign-action.ts';

/** What to revise: one run, or the whole campaign. */
export interface Target {
  campaignId: string;
  runId: number | undefined;
}

/** Recalls sent posts, or corrects them if `html` is given, with another link preview if there is one, and shows in how many groups. Rejects with a CampanileError. */
export function useRevise({
  campaignId,
  runId,
}: Target): (signal: AbortSignal, html?: string, card?: Card) => Promise<void> {
  const client = useQueryClient();
  return async (signal, html, card) => {
    const target = { campaign_id: campaignId, run_id: runId };
    const { groups } =
      html === undefined
        ? await call('venom/recall-campaign', target, { signal })
        : await call('venom/correct-campaign', { ...target, html, ...(card && { link_preview: card }) }, { signal });
    showToast(t(html === undefined ? 'revise.recalling' : 'revise.correcting', { groups }));
    await invalidateCampaign(client, campaignId);
  };
}
