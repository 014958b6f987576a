import { Button, Checkbox, Group, Menu, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type RefObject } from 'react';
import { call } from '../api/call.ts';
import type { Webhook } from '../api/operations.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { useMay } from '../api/workspace.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { ErrorText } from '../parts/error-alert.tsx';
import { Icon } from '../parts/icons.tsx';
import { t } from '../i18n/translate.ts';
import { WebhookSecret, type Verifier } from './webhook-secret.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { ReplayEvents } from './replay-events.tsx';
import { EditWebhookForm } from './webhook-form.tsx';
import { webhooksQuery } from './webhook-queries.ts';

type Dialog = 'change' | 'again' | 'rotate' | 'key' | 'delete';

/** The rarer actions on a webhook. */
export function WebhookMenu({
  webhook,
  urlId,
  switchOff,
}: {
  webhook: Webhook;
  /** The id of the element with its URL. */
  urlId: string;
  switchOff: () => void;
}) {
  const client = useQueryClient();
  const [dialog, setDialog] = useState<Dialog>();
  const more = useRef<HTMLButtonElement>(null);
  const close = () => {
    setDialog(undefined);
    // The menu item that opened the dialog is gone, and the focus with it.
    if (dialog !== 'change') more.current?.focus();
  };
  const isOwner = useMay('owner') !== false;
  const { webhook_id: webhookId, url, public_key: publicKey } = webhook;
  const remove = async (signal: AbortSignal) => {
    await call('venom/delete-webhook', { webhook_id: webhookId }, { signal });
    await client.invalidateQueries({ queryKey: webhooksQuery.queryKey });
  };
  return (
    <>
      {isOwner && (
        <Button size="xs" variant="default" aria-describedby={urlId} onClick={() => setDialog('change')}>
          {t('webhooks.change')}
        </Button>
      )}
      <MoreMenu
        isOwner={isOwner}
        button={more}
        webhook={webhook}
        urlId={urlId}
        open={setDialog}
        switchOff={switchOff}
      />
      <Modal opened={dialog === 'change'} onClose={close} title={t('webhooks.changeTitle')} size="lg">
        <EditWebhookForm webhook={webhook} close={close} />
      </Modal>
      <Modal opened={dialog === 'again'} onClose={close} title={t('webhooks.againTitle')}>
        <ReplayEvents webhook={webhook} close={close} />
      </Modal>
      <Modal opened={dialog === 'key'} onClose={close} title={t('webhooks.showPublicKey')}>
        <WebhookSecret of={{ secret: null, public_key: publicKey }} close={close} />
      </Modal>
      <SecretDialog opened={dialog === 'rotate'} close={close} title={t('webhooks.rotateTitle')}>
        {(show) => <Rotate webhookId={webhookId} show={show} />}
      </SecretDialog>
      <ConfirmDialog
        opened={dialog === 'delete'}
        close={close}
        title={t('webhooks.deleteTitle', { url })}
        action={t('webhooks.delete')}
        act={remove}
        danger
      >
        {t('webhooks.deleteNote')}
      </ConfirmDialog>
    </>
  );
}

function MoreMenu({
  button,
  webhook,
  urlId,
  isOwner,
  open,
  switchOff,
}: {
  button: RefObject<HTMLButtonElement | null>;
  webhook: Webhook;
  urlId: string;
  isOwner: boolean;
  open: (dialog: Dialog) => void;
  switchOff: () => void;
}) {
  const isOff = webhook.status === 'disabled';
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <Button
          ref={button}
          size="xs"
          variant="default"
          aria-describedby={urlId}
          leftSection={<Icon name="dots" size={14} strokeWidth={2.6} />}
        >
          {t('webhooks.more')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item disabled={isOff} onClick={() => open('again')}>
          {t('webhooks.againOpen')}
        </Menu.Item>
        {webhook.public_key !== null && (
          <Menu.Item onClick={() => open('key')}>{t('webhooks.showPublicKey')}</Menu.Item>
        )}
        {isOwner && (
          <>
            <Menu.Item onClick={() => open('rotate')}>{t('webhooks.rotateOpen')}</Menu.Item>
            {!isOff && <Menu.Item onClick={switchOff}>{t('webhooks.switchOff')}</Menu.Item>}
            <Menu.Item c="var(--failed)" onClick={() => open('delete')}>
              {t('webhooks.deleteOpen')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function Rotate({ webhookId, show }: { webhookId: string; show: (verifier: Verifier) => void }) {
  const client = useQueryClient();
  const [isLeaked, setLeaked] = useState(false);
  const rotating = useCancellableMutation({
    act: (_nothing: void, signal) =>
      call(
        'venom/rotate-webhook-secret',
        { webhook_id: webhookId, ...(isLeaked && { expire_former: 'now' }) },
        { signal },
      ),
    onSuccess: (made) => {
      show(made);
      return client.invalidateQueries({ queryKey: webhooksQuery.queryKey });
    },
  });
  return (
    <Stack gap="sm">
      <Text size="sm">{t('webhooks.rotateNote')}</Text>
      <Checkbox
        label={t('webhooks.expireFormer')}
        description={t('webhooks.expireFormerNote')}
        checked={isLeaked}
        onChange={(event) => setLeaked(event.currentTarget.checked)}
      />
      <ErrorText error={rotating.error} />
      <Group justify="flex-end">
        <Button data-autofocus loading={rotating.isPending} onClick={() => rotating.mutate()}>
          {t('webhooks.rotate')}
        </Button>
      </Group>
    </Stack>
  );
}
