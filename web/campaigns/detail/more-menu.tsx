import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import type { Analytics } from '../../api/operations.ts';
import { Icon } from '../../parts/icons.tsx';
import { words } from '../../words/words.ts';
import { ConfirmCancel } from '../confirm-cancel.tsx';
import { ConfirmDelete } from './confirm-delete.tsx';

/** The actions that cannot be undone. */
export function MoreMenu({ analytics: { campaign }, canCancel }: { analytics: Analytics; canCancel: boolean }) {
  const [asking, setAsking] = useState<'cancel' | 'delete'>();
  const close = () => setAsking(undefined);
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="dots" size={16} strokeWidth={2.6} />}>
            {words.campaign.more}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
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
    </>
  );
}
