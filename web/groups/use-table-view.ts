import type { GroupColumn } from '../api/operations.ts';
import type { GroupFilter, GroupSort } from '../api/queries.ts';
import { oneOf, useQueryParam } from '../parts/use-query-param.ts';

export const COLUMNS: readonly GroupColumn[] = [
  'name',
  'kind',
  'participants',
  'last_posted_at',
  'read_rate',
  'failed',
];
/** A group is called silent after so many days without a post. */
export const SILENT_DAYS = 14;
export const SIZES = ['small', 'medium', 'large'] as const;
type Size = (typeof SIZES)[number];
/** Members, both inclusive. */
const BOUNDS: Record<Size, Pick<GroupFilter, 'minMembers' | 'maxMembers'>> = {
  small: { maxMembers: 49 },
  medium: { minMembers: 50, maxMembers: 249 },
  large: { minMembers: 250 },
};

export type TableView = ReturnType<typeof useTableView>;

/** The sort order and filters of the groups, kept in the URL. */
export function useTableView() {
  const [by, setBy] = useQueryParam('sort', 'name', oneOf(COLUMNS));
  const [isDown, setDown] = useSwitch('down');
  const [size, setSize] = useQueryParam('size', 'any', oneOf(['any', ...SIZES]));
  const [isSilent, setSilent] = useSwitch('silent');
  const [hasFailed, setFailed] = useSwitch('failed');
  return {
    sort: { by, isDown } satisfies GroupSort,
    /** Sorts by this column; reverses the order if it is the current one. Figures start descending, names and kinds ascending. */
    sortBy: (column: GroupColumn) => {
      setBy(column);
      setDown(column === by ? !isDown : column !== 'name' && column !== 'kind');
    },
    size,
    setSize,
    isSilent,
    setSilent,
    hasFailed,
    setFailed,
    filter: {
      ...(size !== 'any' && BOUNDS[size]),
      ...(isSilent && { silentDays: SILENT_DAYS }),
      ...(hasFailed && { hasFailed }),
    } satisfies Partial<GroupFilter>,
    isFiltered: isSilent || hasFailed || size !== 'any',
  };
}

function useSwitch(name: string): [boolean, (isOn: boolean) => void] {
  const [value, set] = useQueryParam(name, '', oneOf(['', '1']));
  return [value === '1', (isOn) => set(isOn ? '1' : '')];
}
