import { Anchor, Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../../api/call.ts';
import type { PlannedRun } from '../../api/operations.ts';
import { useMay } from '../../api/workspace.ts';
import { addDays } from '../../calendar/days.ts';
import { usePlannedRuns } from '../../calendar/use-planned-runs.ts';
import { count } from '../../format/numbers.ts';
import { dateIn, exactTime } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import boxClasses from '../../parts/box.module.css';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { notifyError, showToast } from '../../parts/notify.ts';
import { Page, Section } from '../../parts/page.tsx';
import { QueryStatus } from '../../parts/query-status.tsx';
import { useNow } from '../../parts/relative-time.tsx';
import { RoleNote } from '../../parts/role-note.tsx';
import { t } from '../../i18n/translate.ts';
import { invalidateCampaign } from '../use-campaign-action.ts';
import { useRetry } from '../use-retry.tsx';
import { isUnsent } from './is-unsent.ts';
import classes from './unsent-page.module.css';

const DAYS = 30;

/** What was missed or failed, each run with what can be done about it. */
export default function UnsentPage() {
  const zone = useZone();
  const today = dateIn(new Date(useNow()), zone);
  const plan = usePlannedRuns(addDays(today, -DAYS), today);
  const runs = plan.data?.filter(isUnsent).toReversed() ?? [];
  const maySend = useMay('manager') !== false;
  return (
    <Page title={t('unsent.title')}>
      <Text size="sm" c="dimmed" mb="md">
        {t('unsent.note')}
      </Text>
      <QueryStatus of={plan} rows={4} />
      {plan.data && runs.length === 0 && <Empty title={t('unsent.empty')}>{t('unsent.emptyHint')}</Empty>}
      {runs.length > 0 && (
        <Section title={t('campaign.runs', { count: runs.length })}>
          <RoleNote needs="manager" />
          <ul className={classes.runs}>
            {runs.map((run) => (
              <UnsentRun key={run.run_id} run={run} zone={zone} maySend={maySend} />
            ))}
          </ul>
        </Section>
      )}
    </Page>
  );
}

function UnsentRun({ run, zone, maySend }: { run: PlannedRun; zone: string; maySend: boolean }) {
  const { name, campaign_id: campaignId, failed = 0, group_count: groups = 0 } = run;
  const isMissed = run.status === 'missed';
  const time = exactTime(run.due_at, zone);
  const [isAsking, setAsking] = useState(false);
  const client = useQueryClient();
  const target = { campaign_id: campaignId, run_id: run.run_id };
  const leavingOut = useMutation({
    mutationFn: () => call('venom/skip-run', target),
    onSuccess: () => {
      showToast(t('unsent.leftOut', { name }));
      return invalidateCampaign(client, campaignId);
    },
    onError: notifyError,
  });
  const retrying = useRetry();
  const send = async (signal: AbortSignal) => {
    await call('venom/send-run-now', target, { signal });
    showToast(t('campaign.run.sendDone', { name }));
    await invalidateCampaign(client, campaignId);
  };
  return (
    <li>
      <div className={boxClasses.grow}>
        <Anchor component={Link} href={`/campaigns/${campaignId}${isMissed ? '' : '?state=failed'}`} dir="auto">
          {name}
        </Anchor>
        <Text size="sm">
          {isMissed ? t('unsent.missed', { groups }) : t('unsent.failed', { failed, all: count(groups) })}
        </Text>
        <Text size="xs" c="dimmed">
          {time}
        </Text>
      </div>
      {maySend && (
        <Group gap="xs" role="group" aria-label={t('campaign.runMenuOf', { name, time })}>
          {isMissed ? (
            <Button size="xs" onClick={() => setAsking(true)}>
              {t('campaign.run.send')}
            </Button>
          ) : (
            <Button size="xs" loading={retrying.isPending} onClick={() => retrying.mutate({ ...target, name })}>
              {t('campaign.retry', { posts: failed })}
            </Button>
          )}
          <Button size="xs" variant="default" loading={leavingOut.isPending} onClick={() => leavingOut.mutate()}>
            {t('unsent.leaveOut')}
          </Button>
        </Group>
      )}
      <ConfirmDialog
        opened={isAsking}
        close={() => setAsking(false)}
        title={t('campaign.run.sendTitle', { name })}
        action={t('campaign.run.send')}
        act={send}
      >
        {t('unsent.sendMissed', { groups, time })}
      </ConfirmDialog>
    </li>
  );
}
