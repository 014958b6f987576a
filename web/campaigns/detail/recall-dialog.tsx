import type { Analytics, Run } from '../../api/operations.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { words } from '../../words/words.ts';
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
      title={words.revise.recall.title(name)}
      action={words.revise.recall.action}
      act={(signal) => revise(signal)}
      danger
    >
      <RevisionConsequences revision="recall" analytics={analytics} run={run} />
    </ConfirmDialog>
  );
}
