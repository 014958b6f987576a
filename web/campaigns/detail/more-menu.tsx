import { Button, Menu } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { Analytics } from '../../api/operations.ts';
import { campaignQuery } from '../../api/queries.ts';
import { useMay } from '../../api/workspace.ts';
import { toCopiedDraft } from '../../compose/create-draft.ts';
import { useZone } from '../../format/zone-context.tsx';
import { Icon } from '../../parts/icons.tsx';
import { SaveTemplateDialog } from '../../templates/save-template-dialog.tsx';
import { t } from '../../i18n/translate.ts';
import { ConfirmCancel } from '../confirm-cancel.tsx';
import { ConfirmDelete } from './confirm-delete.tsx';

/** Saving as a template, for those who write, and the actions that cannot be undone, for those who send. */
export function MoreMenu({ analytics: { campaign, groups }, canCancel }: { analytics: Analytics; canCancel: boolean }) {
  const [asking, setAsking] = useState<'cancel' | 'delete' | 'template'>();
  const client = useQueryClient();
  const zone = useZone();
  const mayStop = useMay('manager') !== false;
  const { data: details } = useQuery(campaignQuery(campaign.campaign_id));
  const load = async () => {
    const copy = await call('venom/duplicate-campaign', { campaign_id: campaign.campaign_id });
    const { files } = await client.fetchQuery(campaignQuery(campaign.campaign_id));
    return toCopiedDraft(zone, copy, { groups, files, now: new Date() });
  };
  const close = () => setAsking(undefined);
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="dots" size={16} strokeWidth={2.6} />}>
            {t('campaign.more')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="copy" size={16} />} onClick={() => setAsking('template')}>
            {t('templates.save')}
          </Menu.Item>
          {mayStop && canCancel && (
            <Menu.Item
              c="var(--failed)"
              leftSection={<Icon name="stop" size={16} />}
              onClick={() => setAsking('cancel')}
            >
              {t('campaign.cancel')}
            </Menu.Item>
          )}
          {mayStop && !canCancel && (
            <Menu.Item
              c="var(--failed)"
              leftSection={<Icon name="trash" size={16} />}
              onClick={() => setAsking('delete')}
            >
              {t('campaign.deleteOpen')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <SaveTemplateDialog
        opened={asking === 'template'}
        close={close}
        name={campaign.name}
        fromTemplate={details?.from_template ?? null}
        load={load}
      />
      <ConfirmCancel campaign={campaign} opened={asking === 'cancel'} close={close} />
      <ConfirmDelete campaign={campaign} opened={asking === 'delete'} close={close} />
    </>
  );
}
