import { Button, Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { Analytics } from '../api/operations.ts';
import { Icon } from '../parts/icons.tsx';
import { tellProblem } from '../parts/notify.ts';
import { words } from '../words/words.ts';
import { ConfirmCancel } from './confirm-cancel.tsx';
import { ConfirmDelete } from './confirm-delete.tsx';
import { Correct } from './correct.tsx';
import { Recall } from './recall.tsx';
import { saveFile } from './save-file.ts';

type Asking = 'correct' | 'recall' | 'cancel' | 'delete';

export function MoreActions({ analytics, canCancel }: { analytics: Analytics; canCancel: boolean }) {
  const [asking, setAsking] = useState<Asking>();
  const { campaign, totals } = analytics;
  const { campaign_id: id, name } = campaign;
  const exporting = useMutation({ mutationFn: () => exportCsv(id, name), onError: tellProblem });
  const close = () => setAsking(undefined);
  const hasSent = totals.sent > (totals.recalled ?? 0) && campaign.folded_at === undefined;
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<Icon name="dots" size={16} strokeWidth={2.6} />}
            loading={exporting.isPending}
          >
            {words.campaign.more}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {hasSent && (
            <>
              <Menu.Item leftSection={<Icon name="edit" size={16} />} onClick={() => setAsking('correct')}>
                {words.revise.correct.open}
              </Menu.Item>
              <Menu.Item leftSection={<Icon name="undo" size={16} />} onClick={() => setAsking('recall')}>
                {words.revise.recall.open}
              </Menu.Item>
            </>
          )}
          <Menu.Item leftSection={<Icon name="download" size={16} />} onClick={() => exporting.mutate()}>
            {words.campaign.export}
          </Menu.Item>
          <Menu.Divider />
          {canCancel ? (
            <Menu.Item
              c="var(--failed)"
              leftSection={<Icon name="stop" size={16} />}
              onClick={() => setAsking('cancel')}
            >
              {words.campaign.cancel}
            </Menu.Item>
          ) : (
            <Menu.Item
              c="var(--failed)"
              leftSection={<Icon name="trash" size={16} />}
              onClick={() => setAsking('delete')}
            >
              {words.campaign.deleteOpen}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <ConfirmCancel campaign={campaign} opened={asking === 'cancel'} close={close} />
      <ConfirmDelete campaign={campaign} opened={asking === 'delete'} close={close} />
      <Recall analytics={analytics} run={undefined} opened={asking === 'recall'} close={close} />
      <Correct analytics={analytics} run={undefined} opened={asking === 'correct'} close={close} />
    </>
  );
}

/** Saves the group rows as a file that is named after the campaign. */
async function exportCsv(campaignId: string, name: string): Promise<void> {
  const csv = await call('analytics/export-campaign', { campaign_id: campaignId, format: 'csv' });
  saveFile(new Blob([csv], { type: 'text/csv' }), name, 'csv');
}
