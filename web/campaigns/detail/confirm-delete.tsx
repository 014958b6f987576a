import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { call } from '../../api/call.ts';
import { evictCampaign } from '../../api/live-events.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showToast } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';

/** Confirms before deleting a finished campaign with its analytics. */
export function ConfirmDelete({
  campaign: { campaign_id: id, name },
  opened,
  close,
}: {
  campaign: { campaign_id: string; name: string };
  opened: boolean;
  close: () => void;
}) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  async function act(signal: AbortSignal) {
    await call('venom/delete-campaign', { campaign_id: id }, { signal });
    // Leaves its page first, which would refetch the campaign.
    navigate('/');
    evictCampaign(client, id);
    showToast(words.campaign.deleted(name));
  }
  return (
    <ConfirmDialog
      opened={opened}
      close={close}
      title={words.campaign.deleteTitle(name)}
      action={words.campaign.delete}
      act={act}
      danger
    >
      {words.campaign.deleteNote}
    </ConfirmDialog>
  );
}
