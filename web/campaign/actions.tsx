import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { Analytics } from '../api/operations.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Icon } from '../parts/icons.tsx';
import { tellProblem } from '../parts/notify.ts';
import { words } from '../words/words.ts';
import { useControl } from './control.ts';
import { Duplicate } from './duplicate.tsx';

/** What the campaign's state lets one do. */
export function Actions({ campaign, groups }: Pick<Analytics, 'campaign' | 'groups'>) {
  const [isCancelling, setCancelling] = useState(false);
  const { campaign_id: id, status } = campaign;
  const act = useControl(id);
  const acting = useMutation({ mutationFn: act, onError: tellProblem });
  const exporting = useMutation({ mutationFn: () => exportCsv(id, campaign.name), onError: tellProblem });
  const canPause = status === 'running' || status === 'scheduled';
  return (
    <>
      <Button variant="default" loading={exporting.isPending} onClick={() => exporting.mutate()}>
        {words.campaign.export}
      </Button>
      <Duplicate campaign={campaign} groups={groups} />
      {canPause && (
        <Button
          variant="default"
          leftSection={<Icon name="pause" size={16} />}
          loading={acting.isPending}
          onClick={() => acting.mutate('pause')}
        >
          {words.campaign.pause}
        </Button>
      )}
      {status === 'paused' && (
        <Button
          leftSection={<Icon name="play" size={16} />}
          loading={acting.isPending}
          onClick={() => acting.mutate('resume')}
        >
          {words.campaign.resume}
        </Button>
      )}
      {(canPause || status === 'paused') && (
        <Button variant="default" leftSection={<Icon name="stop" size={16} />} onClick={() => setCancelling(true)}>
          {words.campaign.cancel}
        </Button>
      )}
      <Confirm
        opened={isCancelling}
        close={() => setCancelling(false)}
        title={words.campaign.cancelTitle(campaign.name)}
        action={words.campaign.cancel}
        act={() => act('cancel')}
        danger
      >
        {words.campaign.cancelNote}
      </Confirm>
    </>
  );
}

/** Saves the group rows as a file that is named after the campaign. */
async function exportCsv(campaignId: string, name: string): Promise<void> {
  const csv = await call('analytics/export-campaign', { campaign_id: campaignId, format: 'csv' });
  const url = URL.createObjectURL(new Blob([csv], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name.replaceAll(/[^\p{L}\p{N} ._-]/gu, '_')}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}
