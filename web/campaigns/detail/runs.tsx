import { ActionIcon, Menu, Text } from '@mantine/core';
import { WHATSAPP_WINDOWS } from '../../../src/messengers/windows.ts';
import { useState } from 'react';
import type { Analytics, Run } from '../../api/operations.ts';
import { useMay } from '../../api/workspace.ts';
import { useListsText } from '../../compose/audience.ts';
import { count } from '../../format/numbers.ts';
import { exactTime, shortTime } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import boxClasses from '../../parts/box.module.css';
import { Icon } from '../../parts/icons.tsx';
import { Section } from '../../parts/page.tsx';
import { useNow } from '../../parts/relative-time.tsx';
import { Status } from '../../parts/status.tsx';
import textClasses from '../../parts/text.module.css';
import { statusOfRun } from '../../parts/status-tone.ts';
import { t } from '../../i18n/translate.ts';
import { PlannedRunMenu } from '../planned-run-menu.tsx';
import { CorrectionDialog } from './correction-dialog.tsx';
import { PinDialog, UnpinDialog } from './pin-dialog.tsx';
import { RecallDialog } from './recall-dialog.tsx';
import type { Revision } from './revision-windows.ts';
import classes from './runs.module.css';

interface RevisionTarget {
  what: 'recall' | 'correct' | 'pin' | 'unpin';
  run: Run;
}

/** The runs of the campaign in its own time zone, with their results and actions. */
export function Runs({ analytics, listIds }: { analytics: Analytics; listIds: readonly number[] | undefined }) {
  const { runs, campaign } = analytics;
  const zone = campaign.time_zone;
  const ownZone = useZone();
  const maySend = useMay('manager') !== false;
  const [asking, setAsking] = useState<RevisionTarget>();
  // Kept while a dialog fades out, so that its content does not change.
  const [isOpen, setOpen] = useState(false);
  const openDialog = (next: RevisionTarget) => {
    setAsking(next);
    setOpen(true);
  };
  const close = () => setOpen(false);
  const lists = useListsText({ groupListIds: listIds ?? [] });
  return (
    <Section title={t('campaign.runs', { count: runs.length })}>
      {lists !== undefined && (
        <Text size="sm" c="dimmed" mb="xs">
          {lists}
        </Text>
      )}
      {zone !== null && zone !== ownZone && (
        <Text size="sm" c="dimmed" mb="xs">
          {t('campaign.inZone', { zone })}
        </Text>
      )}
      {/* What scrolls has to be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <ol className={classes.runs} tabIndex={0} aria-label={t('campaign.runs', { count: runs.length })}>
        {runs.map((run) => (
          <RunRow key={run.run_id} {...{ run, analytics, maySend, openDialog }} zone={zone ?? ownZone} />
        ))}
      </ol>
      {asking && (
        <>
          <RecallDialog
            analytics={analytics}
            run={asking.run}
            opened={isOpen && asking.what === 'recall'}
            close={close}
          />
          <CorrectionDialog
            analytics={analytics}
            run={asking.run}
            opened={isOpen && asking.what === 'correct'}
            close={close}
          />
          <PinDialog analytics={analytics} run={asking.run} opened={isOpen && asking.what === 'pin'} close={close} />
          <UnpinDialog
            analytics={analytics}
            run={asking.run}
            opened={isOpen && asking.what === 'unpin'}
            close={close}
          />
        </>
      )}
    </Section>
  );
}

function RunRow({
  run,
  analytics,
  zone,
  maySend,
  openDialog,
}: {
  run: Run;
  analytics: Analytics;
  zone: string;
  maySend: boolean;
  openDialog: (target: RevisionTarget) => void;
}) {
  const { runs, campaign } = analytics;
  const nowMs = useNow();
  return (
    <li>
      <div className={boxClasses.grow}>
        <span>{exactTime(run.due_at, zone)}</span>
        {run.moved_from !== undefined && (
          <Text size="xs" c="dimmed">
            {t('campaign.run.moved', { time: shortTime(run.moved_from, zone) })}
          </Text>
        )}
        <span className={`${textClasses.dim} ${classes.state}`}>
          <Status of={statusOfRun(run.status, campaign.status)} />
          {run.reason === 'lists_empty' && <span>{t('campaign.runEmpty')}</span>}
          {run.sent + run.failed > 0 && (
            <span>{t('campaign.runSent', { sent: count(run.sent), failed: run.failed })}</span>
          )}
        </span>
      </div>
      {maySend && run.status === 'planned' && campaign.is_schedule && (
        <PlannedRunMenu
          run={{ ...run, campaign_id: campaign.campaign_id, name: campaign.name }}
          zone={zone}
          isPaused={campaign.status === 'paused'}
        />
      )}
      {maySend && runs.length > 1 && run.sent > 0 && isChangeable(run, analytics, nowMs) && (
        <RunMenu
          label={t('campaign.runMenu', { time: exactTime(run.due_at, zone) })}
          run={run}
          canCorrect={isChangeable(run, analytics, nowMs, 'correct')}
          openDialog={openDialog}
        />
      )}
    </li>
  );
}

/** Returns whether posts of the run may still be changed. */
function isChangeable(run: Run, { groups }: Analytics, nowMs: number, revision: Revision = 'recall'): boolean {
  if (run.finished_at === null) return true;
  const { groupMs, channelMs } = WHATSAPP_WINDOWS[revision];
  const windowMs = groups.some((group) => group.kind === 'channel') ? channelMs : groupMs;
  return nowMs - Date.parse(run.finished_at) < windowMs;
}

function RunMenu({
  label,
  run,
  canCorrect,
  openDialog,
}: {
  label: string;
  run: Run;
  canCorrect: boolean;
  openDialog: (target: RevisionTarget) => void;
}) {
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={label}>
          <Icon name="dots" size={16} strokeWidth={2.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="pin" size={16} />} onClick={() => openDialog({ what: 'pin', run })}>
          {t('pin.open')}
        </Menu.Item>
        <Menu.Item onClick={() => openDialog({ what: 'unpin', run })}>{t('pin.unpinOpen')}</Menu.Item>
        {canCorrect && (
          <Menu.Item leftSection={<Icon name="edit" size={16} />} onClick={() => openDialog({ what: 'correct', run })}>
            {t('revise.correct.open')}
          </Menu.Item>
        )}
        <Menu.Item
          c="var(--failed)"
          leftSection={<Icon name="undo" size={16} />}
          onClick={() => openDialog({ what: 'recall', run })}
        >
          {t('revise.recall.open')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
