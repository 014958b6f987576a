import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { call } from '../../api/call.ts';
import { evictCampaign } from '../../api/live-events.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showToast } from '../../parts/notify.ts';
import { t } from '../../i18n/translate.ts';

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
  async function act() {
    // Not to be aborted: the live event may be here before the answer, and takes the page and this dialog away.
    await call('venom/delete-campaign', { campaign_id: id });
    // Leaves its page first, which would refetch the campaign.
    navigate('/');
    evictCampaign(client, id);
    showToast(t('campaign.deleted', { name }));
  }
  return (
    <ConfirmDialog
      opened={opened}
      close={close}
      title={t('campaign.deleteTitle', { name })}
      action={t('campaign.delete')}
      act={act}
      danger
    >
      {t('campaign.deleteNote')}
    </ConfirmDialog>
  );
}
