import { useQuery } from '@tanstack/react-query';
import { personName } from '../format/person-name.ts';
import { LargeCallout } from '../parts/callout.tsx';
import { t } from '../i18n/translate.ts';
import { approvalQuery, approvalsQuery } from './approval-queries.ts';
import classes from './approvals.module.css';

/** The remark of the person who sent a post back, above the draft that mends it. A draft has the id of its request. */
export function RequestedChanges({ id }: { id: string }) {
  const { data: list } = useQuery(approvalsQuery);
  const isSentBack = list?.approvals.some((one) => one.approval_id === id && one.state === 'changes_requested');
  const { data: approval } = useQuery({ ...approvalQuery(id), enabled: isSentBack === true });
  const asked = isSentBack && approval?.thread.findLast(({ kind }) => kind === 'changes_requested');
  if (!asked) return null;
  return (
    <LargeCallout icon="edit" role="note" title={t('approvals.askedForChanges', { name: personName(asked.by) })}>
      {asked.remark !== '' && (
        <p className={classes.remark} dir="auto">
          {asked.remark}
        </p>
      )}
    </LargeCallout>
  );
}
