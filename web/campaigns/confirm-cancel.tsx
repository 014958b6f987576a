import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { t } from '../i18n/translate.ts';
import { useCampaignAction } from './use-campaign-action.ts';

/** Confirms before cancelling a campaign. */
export function ConfirmCancel({
  campaign: { campaign_id: id, name },
  opened,
  close,
}: {
  campaign: { campaign_id: string; name: string };
  opened: boolean;
  close: () => void;
}) {
  const act = useCampaignAction(id);
  return (
    <ConfirmDialog
      opened={opened}
      close={close}
      title={t('campaign.cancelTitle', { name })}
      action={t('campaign.cancel')}
      act={(signal) => act('cancel', signal)}
      danger
    >
      {t('campaign.cancelNote')}
    </ConfirmDialog>
  );
}
