import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useLocation } from 'wouter';
import type { Analytics, GroupRow } from '../../api/operations.ts';
import { useMay } from '../../api/workspace.ts';
import { addDays } from '../../calendar/days.ts';
import { createDraftForGroups, createReminder } from '../../compose/create-draft.ts';
import { share, percentSuffix } from '../../format/numbers.ts';
import { dateIn } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import { GroupLink } from '../../groups/group-link.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Section } from '../../parts/page.tsx';
import { useNow } from '../../parts/relative-time.tsx';
import { VirtualList } from '../../parts/virtual-rows.tsx';
import { WholeNumber } from '../../parts/whole-number.tsx';
import { t } from '../../i18n/translate.ts';
import classes from './outcome-list.module.css';

const [HALF, MOST_PERCENT] = [50, 100];
const [DAYS, MOST_DAYS] = [3, 366];
const ROW_HEIGHT = 30;
const SHOWN_ROWS = 6;

/** The groups in which few members have read the campaign, and two ways to reach them again. */
export function NonReaders({ analytics }: { analytics: Analytics }) {
  const [entered, setEntered] = useState<number | string>(HALF);
  const percent = wholeNumber(entered, MOST_PERCENT);
  const mayWrite = useMay('author') !== false;
  const sent = analytics.groups.filter((group) => group.sent > 0);
  if (sent.every((group) => group.read_rate === null)) return null;
  const under = sent
    .filter((group) => isUnder(group, percent ?? 0))
    .toSorted((one, other) => (one.read_rate ?? 0) - (other.read_rate ?? 0));
  const unknown = sent.filter((group) => group.read_rate === null).length;
  const label = t('followUp.under', { groups: under.length, all: sent.length, percent: percent ?? 0 });
  return (
    <Section
      title={t('followUp.title')}
      aside={<PercentInput value={entered} onChange={setEntered} isValid={percent !== null} />}
    >
      <Text size="sm" mb="xs" aria-live="polite">
        {label} {unknown > 0 && t('followUp.unknownGroups', { groups: unknown })}
      </Text>
      {under.length > 0 && (
        <>
          <VirtualList items={under} rowHeight={ROW_HEIGHT} maxHeight={ROW_HEIGHT * SHOWN_ROWS} label={label}>
            {(group) => (
              <div
                key={group.group_metadata_id}
                className={`${classes.group} ${classes.reader}`}
                style={{ height: ROW_HEIGHT }}
              >
                <GroupLink group={group} />
                <span className={classes.share}>{share(group.read_rate)}</span>
              </div>
            )}
          </VirtualList>
          {mayWrite && (analytics.totals.recalled ?? 0) < analytics.totals.sent && (
            <Actions campaign={analytics.campaign} groups={under} percent={percent ?? HALF} />
          )}
        </>
      )}
    </Section>
  );
}

function Actions({
  campaign: { campaign_id: id, name },
  groups,
  percent,
}: Pick<Analytics, 'campaign'> & { groups: readonly GroupRow[]; percent: number }) {
  const client = useQueryClient();
  const zone = useZone();
  const [, go] = useLocation();
  const [entered, setEntered] = useState<number | string>(DAYS);
  const days = wholeNumber(entered, MOST_DAYS);
  const day = addDays(dateIn(new Date(useNow()), zone), days ?? DAYS);
  const remind = () => {
    const followUp = { campaign_id: id, run_id: null, under_percent: percent };
    go(createReminder(client, zone, groups, { name: t('followUp.reminderName', { name }), day, followUp }));
  };
  return (
    <Group gap="xs" mt="sm">
      <Button
        size="xs"
        leftSection={<Icon name="edit" size={14} />}
        onClick={() => go(createDraftForGroups(client, zone, groups))}
      >
        {t('followUp.write')}
      </Button>
      <Group gap={6} wrap="nowrap">
        <WholeNumber
          size="xs"
          w={72}
          aria-label={t('followUp.days')}
          min={1}
          max={MOST_DAYS}
          value={entered}
          onChange={setEntered}
          error={days === null}
        />
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="clock" size={14} />}
          disabled={days === null}
          onClick={remind}
        >
          {t('followUp.remind', { days: days ?? 0 })}
        </Button>
      </Group>
    </Group>
  );
}

function PercentInput({
  value,
  onChange,
  isValid,
}: {
  value: number | string;
  onChange: (value: number | string) => void;
  isValid: boolean;
}) {
  const id = useId();
  return (
    <Group gap={6} wrap="nowrap">
      <Text size="sm" component="label" htmlFor={id} c="dimmed">
        {t('followUp.percent')}
      </Text>
      <WholeNumber
        id={id}
        size="xs"
        w={84}
        suffix={percentSuffix()}
        min={1}
        max={MOST_PERCENT}
        step={5}
        value={value}
        onChange={onChange}
        error={!isValid}
      />
    </Group>
  );
}

/** The same comparison as the service's: channels and groups without reads are unknown. */
function isUnder({ read, recipients, read_rate: rate }: GroupRow, percent: number): boolean {
  return rate !== null && 100 * (read ?? 0) < percent * recipients;
}

function wholeNumber(entered: number | string, most: number): number | null {
  const value = Number(entered);
  return entered !== '' && Number.isInteger(value) && value >= 1 && value <= most ? value : null;
}
