import { ActionIcon, Box, Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { CampaignRow } from '../../api/operations.ts';
import { useMay } from '../../api/workspace.ts';
import { ConfirmCancel } from '../confirm-cancel.tsx';
import { useCampaignAction, type CampaignAction } from '../use-campaign-action.ts';
import { useRetry } from '../use-retry.tsx';
import { Icon } from '../../parts/icons.tsx';
import { notifyError } from '../../parts/notify.ts';
import { t } from '../../i18n/translate.ts';

/** Actions on a campaign in the list. */
export function CampaignRowMenu({ campaign }: { campaign: CampaignRow }) {
  const { campaign_id: id, name, status, progress } = campaign;
  const [isCancelling, setCancelling] = useState(false);
  const act = useCampaignAction(id);
  const acting = useMutation({ mutationFn: (verb: CampaignAction) => act(verb), onError: notifyError });
  const retrying = useRetry();
  const isOpen = status === 'running' || status === 'scheduled' || status === 'paused';
  const maySend = useMay('manager') !== false;
  if (!maySend || (!isOpen && progress.failed === 0)) return <Box component="span" flex="none" w={28} />;
  return (
    <>
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            flex="none"
            w={28}
            aria-label={t('campaigns.menu', { name })}
            loading={acting.isPending || retrying.isPending}
          >
            <Icon name="dots" size={16} strokeWidth={2.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {status === 'paused' && (
            <Menu.Item leftSection={<Icon name="play" size={16} />} onClick={() => acting.mutate('resume')}>
              {t('campaign.resume')}
            </Menu.Item>
          )}
          {isOpen && status !== 'paused' && (
            <Menu.Item leftSection={<Icon name="pause" size={16} />} onClick={() => acting.mutate('pause')}>
              {t('campaign.pause')}
            </Menu.Item>
          )}
          {progress.failed > 0 && (
            <Menu.Item
              leftSection={<Icon name="sync" size={16} />}
              onClick={() => retrying.mutate({ campaign_id: id, name })}
            >
              {t('campaign.retry', { posts: progress.failed })}
            </Menu.Item>
          )}
          {isOpen && campaign.is_schedule && (
            <Menu.Item component={Link} href={`/campaigns/${id}/change`} leftSection={<Icon name="edit" size={16} />}>
              {t('campaign.change')}
            </Menu.Item>
          )}
          {isOpen && (
            <Menu.Item
              c="var(--failed)"
              leftSection={<Icon name="stop" size={16} />}
              onClick={() => setCancelling(true)}
            >
              {t('campaign.cancel')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <ConfirmCancel campaign={campaign} opened={isCancelling} close={() => setCancelling(false)} />
    </>
  );
}
