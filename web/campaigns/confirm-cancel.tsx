import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { words } from '../words/words.ts';
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
      title={words.campaign.cancelTitle(name)}
      action={words.campaign.cancel}
      act={(signal) => act('cancel', signal)}
      danger
    >
      {words.campaign.cancelNote}
    </ConfirmDialog>
  );
}
