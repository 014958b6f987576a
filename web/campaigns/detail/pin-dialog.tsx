import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { Analytics, Run } from '../../api/operations.ts';
import { PIN_FORS, type PinFor } from '../../compose/reach.ts';
import { exactTime } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showToast } from '../../parts/notify.ts';
import { t } from '../../i18n/translate.ts';
import { invalidateCampaign } from '../use-campaign-action.ts';

interface PinProps {
  analytics: Analytics;
  /** The latest run if undefined. */
  run: Run | undefined;
  opened: boolean;
  close: () => void;
}

/** Pins the sent posts of a run in their groups. */
export function PinDialog({ analytics, run, opened, close }: PinProps) {
  const { campaign_id: campaignId, name } = analytics.campaign;
  const client = useQueryClient();
  const zone = useZone();
  const [pinFor, setPinFor] = useState<PinFor>('7d');
  const pin = async (signal: AbortSignal) => {
    const body = { campaign_id: campaignId, run_id: run?.run_id, pin_for: pinFor };
    const { groups } = await call('venom/pin-campaign', body, { signal });
    showToast(t('pin.pinning', { groups }));
    await invalidateCampaign(client, campaignId);
  };
  return (
    <ConfirmDialog opened={opened} close={close} title={t('pin.title', { name })} action={t('pin.action')} act={pin}>
      <Stack gap={6}>
        <SegmentedControl
          aria-label={t('reach.pin')}
          data={PIN_FORS.map((value) => ({ value, label: t(`reach.pinFor.${value}`) }))}
          value={pinFor}
          onChange={(value) => setPinFor(PIN_FORS.find((one) => one === value) ?? '7d')}
        />
        <Text size="sm">{run ? t('pin.ofRun', { time: exactTime(run.due_at, zone) }) : t('pin.ofLatest')}</Text>
        <Text size="sm">{t('pin.admins')}</Text>
      </Stack>
    </ConfirmDialog>
  );
}

/** Unpins the posts of a run. */
export function UnpinDialog({ analytics, run, opened, close }: PinProps) {
  const { campaign_id: campaignId, name } = analytics.campaign;
  const client = useQueryClient();
  const zone = useZone();
  const unpin = async (signal: AbortSignal) => {
    const { groups } = await call('venom/unpin-campaign', { campaign_id: campaignId, run_id: run?.run_id }, { signal });
    showToast(t('pin.unpinning', { groups }));
    await invalidateCampaign(client, campaignId);
  };
  return (
    <ConfirmDialog
      opened={opened}
      close={close}
      title={t('pin.unpinTitle', { name })}
      action={t('pin.unpinAction')}
      act={unpin}
    >
      <Text size="sm">{run ? t('pin.ofRun', { time: exactTime(run.due_at, zone) }) : t('pin.ofLatest')}</Text>
    </ConfirmDialog>
  );
}
