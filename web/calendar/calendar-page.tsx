import { ActionIcon, Button, Group, NativeSelect, SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';
import type { GroupKind, PlannedRun } from '../api/operations.ts';
import { groupListsQuery } from '../api/queries.ts';
import { useMay } from '../api/workspace.ts';
import { MoveRunDialog } from '../campaigns/planned-run-menu.tsx';
import { localTime } from '../format/local-time.ts';
import { dateIn, zoneName } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { KINDS } from '../groups/kinds.ts';
import { lazyWithRetry } from '../parts/lazy-with-retry.ts';
import { Empty } from '../parts/empty.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Icon } from '../parts/icons.tsx';
import { useNow } from '../parts/relative-time.tsx';
import { Page, RowsSkeleton } from '../parts/page.tsx';
import { isListId, oneOf, useQueryParam } from '../parts/use-query-param.ts';
import { locale, t } from '../i18n/translate.ts';
import { addDays, daysOfView, isDay, type View } from './days.ts';
import { Legend, Month, Week } from './grid.tsx';
import { usePlannedRuns, type RunFilter } from './use-planned-runs.ts';

const ImportSheetDialog = lazy(lazyWithRetry(() => import('./import-sheet-dialog.tsx')));
const SubscribeDialog = lazy(lazyWithRetry(() => import('./subscribe-dialog.tsx')));

const VIEWS: readonly View[] = ['month', 'week'];

export default function CalendarPage() {
  const zone = useZone();
  const today = dateIn(new Date(useNow()), zone);
  const { view, setView, day: shown, setDay, filter, setKind, setList } = useCalendarParams(today);
  const days = daysOfView(view, shown);
  const plan = usePlannedRuns(days[0] ?? today, days.at(-1) ?? today, { ...filter, withDetails: true });
  const isEmpty = plan.isSuccess && !plan.isPlaceholderData && plan.data.length === 0;
  const isFiltered = filter.kind !== undefined || filter.listId !== undefined;
  const mayWrite = useMay('author') !== false;
  const [moving, setMoving] = useState<{ run: PlannedRun; local: string }>();
  const drop = (runId: number, day: string) => {
    const run = plan.data?.find((one) => one.run_id === runId);
    if (!run || dateIn(run.due_at, zone) === day) return;
    setMoving({ run, local: `${day}${localTime(new Date(run.due_at), zone).slice(10)}` });
  };
  const grid = { days, today, runs: plan.data ?? [], drop };

  return (
    <Page
      title={t('pages.calendar')}
      actions={
        <>
          <RunFilters filter={filter} setKind={setKind} setList={setList} />
          <ViewChoice view={view} setView={setView} showToday={() => setDay(today)} />
          <ManagerDialogs />
        </>
      }
    >
      <Group justify="space-between" mb="sm">
        <PeriodNavigation title={title(days)} move={(by) => setDay(addDays(shown, by * days.length))} />
        <Text size="sm" c="dimmed">
          {t('calendar.zone', { zone, short: zoneName(zone) })}
        </Text>
      </Group>
      {plan.error !== null && <ErrorAlert error={plan.error} retry={() => void plan.refetch()} />}
      {plan.isPending ? (
        <RowsSkeleton rows={5} height={90} />
      ) : view === 'month' ? (
        <Month
          {...grid}
          showWeek={(day) => {
            setView('week');
            setDay(day);
          }}
        />
      ) : (
        <Week {...grid} />
      )}
      <Legend runs={grid.runs} />
      {moving && <MoveRunDialog {...moving} zone={zone} opened close={() => setMoving(undefined)} />}
      {isEmpty && (
        <Empty
          title={t('calendar.nothing')}
          sample={isFiltered ? undefined : 'runs'}
          {...(mayWrite && { link: { href: '/campaigns/new', label: t('shell.newCampaign') } })}
        >
          {isFiltered ? t('calendar.nothingFits') : t('calendar.nothingHint')}
        </Empty>
      )}
    </Page>
  );
}

/** Plans from sheets, and links for calendar programs: managers make both. */
function ManagerDialogs() {
  const [isImporting, importing] = useDisclosure(false);
  const [isSubscribing, subscribing] = useDisclosure(false);
  if (useMay('manager') === false) return null;
  return (
    <>
      <Button size="xs" variant="default" onClick={importing.open}>
        {t('calendar.import')}
      </Button>
      <Button size="xs" variant="default" onClick={subscribing.open}>
        {t('calendar.subscribe')}
      </Button>
      <Suspense>
        {isImporting && <ImportSheetDialog close={importing.close} />}
        {isSubscribing && <SubscribeDialog close={subscribing.close} />}
      </Suspense>
    </>
  );
}

/** The state of the page in the URL. */
function useCalendarParams(today: string) {
  const [view, setView] = useQueryParam('view', 'month', oneOf(VIEWS));
  const [day, setDay] = useQueryParam('day', today, isDay);
  const [kind, setKind] = useQueryParam('kind', '', oneOf(['', ...KINDS]));
  const [list, setList] = useQueryParam('list', '', isListId);
  const filter: RunFilter = { kind: kind === '' ? undefined : kind, listId: list === '' ? undefined : Number(list) };
  return { view, setView, day, setDay, filter, setKind, setList };
}

function RunFilters({
  filter: { kind, listId },
  setKind,
  setList,
}: {
  filter: RunFilter;
  setKind: (kind: GroupKind | '') => void;
  setList: (listId: string) => void;
}) {
  const lists = useQuery(groupListsQuery).data?.group_lists ?? [];
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={t('groups.kind')}
        value={kind ?? ''}
        onChange={(event) => setKind(KINDS.find((one) => one === event.currentTarget.value) ?? '')}
        data={[
          { value: '', label: t('calendar.anyKind') },
          ...KINDS.map((value) => ({ value, label: t(`kindsPlural.${value}`) })),
        ]}
      />
      {lists.length > 0 && (
        <NativeSelect
          size="xs"
          aria-label={t('groups.list')}
          value={listId === undefined ? '' : String(listId)}
          onChange={(event) => setList(event.currentTarget.value)}
          data={[
            { value: '', label: t('groups.allGroups') },
            ...lists.map((list) => ({ value: String(list.group_list_id), label: list.name })),
          ]}
        />
      )}
    </>
  );
}

function ViewChoice({
  view,
  setView,
  showToday,
}: {
  view: View;
  setView: (view: View) => void;
  showToday: () => void;
}) {
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label={t('calendar.view')}
        value={view}
        onChange={(value) => setView(VIEWS.find((one) => one === value) ?? 'month')}
        data={VIEWS.map((value) => ({ value, label: t(`calendar.views.${value}`) }))}
      />
      <Button size="xs" variant="default" onClick={showToday}>
        {t('calendar.today')}
      </Button>
    </>
  );
}

/** Goes to the previous (-1) or next (1) days of the same number. */
function PeriodNavigation({ title: shown, move }: { title: string; move: (by: number) => void }) {
  return (
    <Group gap="xs">
      <ActionIcon variant="default" aria-label={t('calendar.before')} onClick={() => move(-1)}>
        <Icon name="left" size={16} />
      </ActionIcon>
      <Text fw={600} aria-live="polite" miw={200} ta="center">
        {shown}
      </Text>
      <ActionIcon variant="default" aria-label={t('calendar.after')} onClick={() => move(1)}>
        <Icon name="right" size={16} />
      </ActionIcon>
    </Group>
  );
}

function title(days: readonly string[]): string {
  const range = new Intl.DateTimeFormat(locale, {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
  return range.formatRange(new Date(`${days[0]}T00:00:00Z`), new Date(`${days.at(-1)}T00:00:00Z`));
}
