import { Button, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api/call.ts';
import type { Body, FullApproval } from '../api/operations.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { showToast } from '../parts/notify.ts';
import { t } from '../i18n/translate.ts';
import { approvalsQuery } from './approval-queries.ts';
import { RemarkField } from './remark-field.tsx';

type Decision = Body<'venom/decide-approval'>['decision'];

const LABELS = { approve: 'approve', request_changes: 'requestChanges', reject: 'reject' } as const;

/** The buttons of a person who may decide. Each names the version that was read. */
export function DecideButtons({ approval, summary }: { approval: FullApproval; summary: ReactNode }) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const [asked, setAsked] = useState<Decision>('approve');
  const [isOpen, setOpen] = useState(false);
  const [remark, setRemark] = useState('');
  const open = (decision: Decision) => {
    setAsked(decision);
    setOpen(true);
  };
  const decide = async (signal: AbortSignal) => {
    const { approval_id, sha256 } = approval;
    const body = { approval_id, sha256, decision: asked, remark: remark.trim() };
    const decided = await call('venom/decide-approval', body, { signal });
    setRemark('');
    void client.invalidateQueries({ queryKey: ['campaigns'] });
    await client.invalidateQueries({ queryKey: approvalsQuery.queryKey });
    if (decided.campaign_id === null) return;
    showToast(t(`approvals.states.${decided.state}`));
    go(`/campaigns/${decided.campaign_id}`);
  };
  return (
    <>
      <Button variant="default" color="red.9" onClick={() => open('reject')}>
        {t('approvals.reject')}
      </Button>
      <Button variant="default" onClick={() => open('request_changes')}>
        {t('approvals.requestChanges')}
      </Button>
      <Button onClick={() => open('approve')}>{t('approvals.approve')}</Button>
      <ConfirmDialog
        opened={isOpen}
        close={() => setOpen(false)}
        title={t(`approvals.${LABELS[asked]}`)}
        action={t(`approvals.${LABELS[asked]}`)}
        danger={asked === 'reject'}
        act={decide}
      >
        <Stack gap="sm">
          {asked === 'approve' ? summary : <Text size="sm">{t(`approvals.consequences.${asked}`)}</Text>}
          <RemarkField value={remark} onChange={setRemark} />
        </Stack>
      </ConfirmDialog>
    </>
  );
}
