import { useQuery } from '@tanstack/react-query';
import type { Analytics, Run } from '../../api/operations.ts';
import { campaignQuery } from '../../api/queries.ts';
import { mediaName } from '../../format/media-name.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ReceiptPost } from '../../whatsapp/receipt-post.tsx';
import { t } from '../../i18n/translate.ts';
import { RevisionConsequences } from './revision-consequences.tsx';
import { useRevise } from './use-revise.ts';

/** Deletes sent posts for everyone, of one run or of the whole campaign, after showing the consequences. */
export function RecallDialog({
  analytics,
  run,
  opened,
  close,
}: {
  analytics: Analytics;
  run: Run | undefined;
  opened: boolean;
  close: () => void;
}) {
  const { campaign_id: campaignId, name } = analytics.campaign;
  const revise = useRevise({ campaignId, runId: run?.run_id });
  return (
    <ConfirmDialog
      opened={opened}
      close={close}
      title={t('revise.recall.title', { name })}
      action={t('revise.recall.action')}
      act={(signal) => revise(signal)}
      danger
    >
      <RevisionConsequences revision="recall" analytics={analytics} run={run}>
        <RecalledPost campaignId={campaignId} />
      </RevisionConsequences>
    </ConfirmDialog>
  );
}

function RecalledPost({ campaignId }: { campaignId: string }) {
  const { data: post } = useQuery(campaignQuery(campaignId));
  if (!post) return null;
  return <ReceiptPost name={post.name} text={post.text} notes={post.media ? [mediaName(post.media.mime)] : []} />;
}
