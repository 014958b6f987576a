import { ActionIcon, Button, Group, Menu, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { instantOf, localTime } from '../format/local-time.ts';
import { exactTime, shortTime } from '../format/time.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { ErrorText } from '../parts/error-alert.tsx';
import { Icon } from '../parts/icons.tsx';
import { showToast } from '../parts/notify.ts';
import { t } from '../i18n/translate.ts';
import { invalidateCampaign } from './use-campaign-action.ts';

interface Run {
  campaign_id: string;
  /** The name of the campaign. */
  name: string;
  run_id: number;
  due_at: string;
}

interface MenuProps {
  run: Run;
  /** Times are shown and entered in this zone. */
  zone: string;
  isPaused: boolean;
  className?: string | undefined;
}

type Action = 'send' | 'move' | 'skip';

/** The actions on a run that has not begun: send now, move, skip. */
export function PlannedRunMenu({ run, zone, isPaused, className }: MenuProps) {
  const [asking, setAsking] = useState<Action>();
  // A month has hundreds of these menus: their dialogs are made when one is asked for.
  const [isUsed, setUsed] = useState(false);
  const ask = (action: Action) => {
    setUsed(true);
    setAsking(action);
  };
  const close = () => setAsking(undefined);
  const time = exactTime(run.due_at, zone);
  return (
    <>
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            className={className}
            aria-label={t('campaign.runMenuOf', { name: run.name, time })}
          >
            <Icon name="dots" size={16} strokeWidth={2.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!isPaused && (
            <Menu.Item leftSection={<Icon name="send" size={16} />} onClick={() => ask('send')}>
              {t('campaign.run.send')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<Icon name="calendar" size={16} />} onClick={() => ask('move')}>
            {t('campaign.run.move')}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="stop" size={16} />} onClick={() => ask('skip')}>
            {t('campaign.run.skip')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isUsed && (
        <>
          <RunQuestion action="send" {...{ run, time, close }} opened={asking === 'send'} />
          <RunQuestion action="skip" {...{ run, time, close }} opened={asking === 'skip'} />
          <MoveRunDialog {...{ run, zone, close }} opened={asking === 'move'} />
        </>
      )}
    </>
  );
}

function RunQuestion({
  action,
  run,
  time,
  opened,
  close,
}: {
  action: 'send' | 'skip';
  run: Run;
  time: string;
  opened: boolean;
  close: () => void;
}) {
  const client = useQueryClient();
  const act = async (signal: AbortSignal) => {
    const target = { campaign_id: run.campaign_id, run_id: run.run_id };
    await call(action === 'send' ? 'venom/send-run-now' : 'venom/skip-run', target, { signal });
    showToast(t(`campaign.run.${action}Done`, { name: run.name }));
    await invalidateCampaign(client, run.campaign_id);
  };
  return (
    <ConfirmDialog
      opened={opened}
      close={close}
      title={t(`campaign.run.${action}Title`, { name: run.name })}
      action={t(`campaign.run.${action}`)}
      act={act}
    >
      {t(`campaign.run.${action}Note`, { time })}
    </ConfirmDialog>
  );
}

interface MoveProps extends Pick<MenuProps, 'run' | 'zone'> {
  /** The suggested day and time, as `YYYY-MM-DDTHH:MM` in the zone; by default those of the run. */
  local?: string;
  close: () => void;
}

export function MoveRunDialog({ opened, ...form }: MoveProps & { opened: boolean }) {
  return (
    <Modal opened={opened} onClose={form.close} title={t('campaign.run.moveTitle', { name: form.run.name })}>
      <MoveForm {...form} />
    </Modal>
  );
}

function MoveForm({ run, zone, local: suggested, close }: MoveProps) {
  const client = useQueryClient();
  const [local, setLocal] = useState(() => suggested ?? localTime(new Date(run.due_at), zone));
  const to = instantOf(local, zone);
  const moving = useCancellableMutation({
    act: async (dueAt: Date, signal) => {
      const target = { campaign_id: run.campaign_id, run_id: run.run_id };
      await call('venom/move-run', { ...target, due_at: dueAt.toISOString() }, { signal });
      showToast(t('campaign.run.moveDone', { name: run.name, time: shortTime(dueAt, zone) }));
      await invalidateCampaign(client, run.campaign_id);
    },
    onSuccess: close,
  });
  return (
    <Stack gap="sm">
      <Text size="sm">{t('campaign.run.moveFrom', { time: exactTime(run.due_at, zone) })}</Text>
      <TextInput
        type="datetime-local"
        label={t('campaign.run.moveTo')}
        value={local}
        onChange={(event) => setLocal(event.currentTarget.value)}
        data-autofocus
      />
      <Text size="sm" c="dimmed">
        {t('webhooks.inZone', { zone })}
      </Text>
      <ErrorText error={moving.error} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={close}>
          {t('common.back')}
        </Button>
        <Button disabled={!to} loading={moving.isPending} onClick={() => to && moving.mutate(to)}>
          {t('campaign.run.moveAction')}
        </Button>
      </Group>
    </Stack>
  );
}
