import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { call } from '../../api/call.ts';
import { forgetCampaign } from '../../api/live.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { showToast } from '../../parts/notify.ts';
import { t } from '../../i18n/translate.ts';

/** Asks once more before a campaign that is over is deleted with all that is known of it. */
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
    // First away from its page, which would be asked for anew.
    navigate('/');
    forgetCampaign(client, id);
    showToast(t('campaign.deleted', { name }));
  }
  return (
    <Confirm
      opened={opened}
      close={close}
      title={t('campaign.deleteTitle', { name })}
      action={t('campaign.delete')}
      act={act}
      danger
    >
      {t('campaign.deleteNote')}
    </Confirm>
  );
}
