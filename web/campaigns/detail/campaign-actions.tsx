import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Analytics } from '../../api/operations.ts';
import { useMay } from '../../api/workspace.ts';
import { Icon } from '../../parts/icons.tsx';
import { notifyError } from '../../parts/notify.ts';
import { t } from '../../i18n/translate.ts';
import { useCampaignAction, type CampaignAction } from '../use-campaign-action.ts';
import { DuplicateButton } from './duplicate-button.tsx';
import { MoreMenu } from './more-menu.tsx';

/** The actions that the campaign's state allows: frequent ones as buttons, the rest in a menu. */
export function CampaignActions({ analytics }: { analytics: Analytics }) {
  const { campaign, groups } = analytics;
  const { campaign_id: id, status } = campaign;
  const act = useCampaignAction(id);
  const acting = useMutation({ mutationFn: (verb: CampaignAction) => act(verb), onError: notifyError });
  const maySend = useMay('manager') !== false;
  const mayWrite = useMay('author') !== false;
  const canPause = maySend && (status === 'running' || status === 'scheduled');
  return (
    <>
      {canPause && (
        <Button
          variant="default"
          leftSection={<Icon name="pause" size={16} />}
          loading={acting.isPending}
          onClick={() => acting.mutate('pause')}
        >
          {t('campaign.pause')}
        </Button>
      )}
      {maySend && status === 'paused' && (
        <Button
          leftSection={<Icon name="play" size={16} />}
          loading={acting.isPending}
          onClick={() => acting.mutate('resume')}
        >
          {t('campaign.resume')}
        </Button>
      )}
      {campaign.is_schedule && (canPause || (maySend && status === 'paused')) && (
        <Button
          component={Link}
          href={`/campaigns/${id}/change`}
          variant="default"
          leftSection={<Icon name="edit" size={16} />}
        >
          {t('campaign.change')}
        </Button>
      )}
      <DuplicateButton campaign={campaign} groups={groups} />
      {mayWrite && <MoreMenu analytics={analytics} canCancel={canPause || (maySend && status === 'paused')} />}
    </>
  );
}
