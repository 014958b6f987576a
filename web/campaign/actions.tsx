import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Analytics } from '../api/operations.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Icon } from '../parts/icons.tsx';
import { tellProblem } from '../parts/notify.ts';
import { words } from '../words/words.ts';
import { useControl } from './control.ts';

/** What the campaign's state lets one do. */
export function Actions({ campaign }: Pick<Analytics, 'campaign'>) {
  const [isCancelling, setCancelling] = useState(false);
  const { campaign_id: id, status } = campaign;
  const act = useControl(id);
  const acting = useMutation({ mutationFn: act, onError: tellProblem });
  const canPause = status === 'running' || status === 'scheduled';
  return (
    <>
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
