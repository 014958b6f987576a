import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { CampaignStatus, PostKind } from '../../api/operations.ts';
import { isFiltering, tagsQuery } from '../../api/queries.ts';
import { addMonths, isDay } from '../../calendar/days.ts';
import { monthName } from '../../format/time.ts';
import { t } from '../../i18n/translate.ts';
import { Filters } from '../../parts/filters.tsx';
import { isText, oneOf, useDebouncedQueryParam, useQueryParam } from '../../parts/use-query-param.ts';

const STATUSES: readonly CampaignStatus[] = [
  'running',
  'scheduled',
  'paused',
  'completed',
  'completed_with_errors',
  'cancelled',
];
const POST_KINDS: readonly PostKind[] = ['text', 'file', 'files', 'poll', 'event'];
/** Older campaigns are found by their words. */
const MONTHS_SHOWN = 24;

/** The filter of the list, which the URL keeps. */
export function useCampaignFilter() {
  const words = useDebouncedQueryParam('search');
  const [status, setStatus] = useQueryParam('status', '', oneOf(['', ...STATUSES]));
  const [kind, setKind] = useQueryParam('kind', '', oneOf(['', ...POST_KINDS]));
  const [month, setMonth] = useQueryParam('month', '', isMonth);
  const [tag, setTag] = useQueryParam('tag', '', isText);
  const filter = {
    search: words.settled,
    status: status === '' ? undefined : status,
    kind: kind === '' ? undefined : kind,
    month: month === '' ? undefined : month,
    tag: tag === '' ? undefined : tag,
  };
  return {
    filter,
    isFiltered: isFiltering(filter),
    fields: { words, status, setStatus, kind, setKind, month, setMonth, tag, setTag },
  };
}

export function CampaignFilters({
  of: { words, status, setStatus, kind, setKind, month, setMonth, tag, setTag },
  today,
}: {
  of: ReturnType<typeof useCampaignFilter>['fields'];
  today: string;
}) {
  const { data: known = [] } = useQuery(tagsQuery);
  const tags = tag === '' || known.includes(tag) ? known : [tag, ...known];
  return (
    <Filters label={t('campaigns.search')} typed={words.typed} onType={words.setTyped}>
      <Choice
        label={t('campaigns.month')}
        any={t('campaigns.anyMonth')}
        value={month}
        set={setMonth}
        of={monthsUntil(today).map((value) => ({ value, label: monthName(value) }))}
      />
      <Choice
        label={t('campaigns.status')}
        any={t('campaigns.anyStatus')}
        value={status}
        set={setStatus}
        of={STATUSES.map((value) => ({ value, label: t(`status.${value}`) }))}
      />
      <Choice
        label={t('campaigns.kind')}
        any={t('campaigns.anyKind')}
        value={kind}
        set={setKind}
        of={POST_KINDS.map((value) => ({ value, label: t(`campaigns.kinds.${value}`) }))}
      />
      {tags.length > 0 && (
        <Choice
          label={t('tags.title')}
          any={t('tags.any')}
          value={tag}
          set={setTag}
          of={tags.map((value) => ({ value, label: value }))}
        />
      )}
    </Filters>
  );
}

function Choice<Value extends string>({
  label,
  any,
  value,
  set,
  of: choices,
}: {
  label: string;
  /** Says that nothing is chosen. */
  any: string;
  value: Value | '';
  set: (value: Value | '') => void;
  of: ReadonlyArray<{ value: Value; label: string }>;
}) {
  return (
    <NativeSelect
      aria-label={label}
      value={value}
      onChange={(event) => set(choices.find((one) => one.value === event.currentTarget.value)?.value ?? '')}
      data={[{ value: '', label: any }, ...choices]}
    />
  );
}

const isMonth = (text: string): text is string => text === '' || isDay(`${text}-01`);

/** The present month and those before it, as `2026-08`. */
function monthsUntil(today: string): string[] {
  return Array.from({ length: MONTHS_SHOWN }, (_, ago) => addMonths(today, -ago).slice(0, 7));
}
