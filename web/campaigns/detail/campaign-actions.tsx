import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Analytics } from '../../api/operations.ts';
import { Icon } from '../../parts/icons.tsx';
import { notifyError } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import { useCampaignAction, type CampaignAction } from '../use-campaign-action.ts';
import { DuplicateButton } from './duplicate-button.tsx';
import { MoreMenu } from './more-menu.tsx';

/** The actions that the campaign's state allows: frequent ones as buttons, the rest in a menu. */
export function CampaignActions({ analytics }: { analytics: Analytics }) {
  const { campaign, groups } = analytics;
  const { campaign_id: id, status } = campaign;
  const act = useCampaignAction(id);
  const acting = useMutation({ mutationFn: (verb: CampaignAction) => act(verb), onError: notifyError });
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
      {campaign.is_schedule && (canPause || status === 'paused') && (
        <Button
          component={Link}
          href={`/campaigns/${id}/change`}
          variant="default"
          leftSection={<Icon name="edit" size={16} />}
        >
          {words.campaign.change}
        </Button>
      )}
      <DuplicateButton campaign={campaign} groups={groups} />
      <MoreMenu analytics={analytics} canCancel={canPause || status === 'paused'} />
    </>
  );
}
