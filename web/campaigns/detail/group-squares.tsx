import { Text, VisuallyHidden } from '@mantine/core';
import { useState, type KeyboardEvent } from 'react';
import { Link } from 'wouter';
import type { GroupRow } from '../../api/operations.ts';
import { t } from '../../i18n/translate.ts';
import classes from './group-squares.module.css';

/** More of them would fill the screen; the table has them all. */
const MOST_SQUARES = 2_000;
const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

type SquareState = 'waiting' | 'sent' | 'read' | 'failed' | 'cancelled' | 'leftOut';

/** Every group as a small square, in the colour of its post's ticks. The name shows on hover and focus; arrow keys go from one to the next. */
export function GroupSquares({ groups }: { groups: readonly GroupRow[] }) {
  const [named, setNamed] = useState<GroupRow>();
  const [at, setAt] = useState(0);
  if (groups.length > MOST_SQUARES) return null;
  const move = (event: KeyboardEvent<HTMLUListElement>) => {
    const step = STEPS[event.key];
    const next = step === undefined ? undefined : event.currentTarget.querySelectorAll('a')[at + step];
    if (step === undefined || !next) return;
    event.preventDefault();
    setAt(at + step);
    next.focus();
  };
  return (
    <div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the links in it have the keys */}
      <ul
        className={classes.squares}
        aria-label={t('pages.groups')}
        onKeyDown={move}
        onMouseLeave={() => setNamed(undefined)}
      >
        {groups.map((group, index) => (
          <li key={group.group_metadata_id}>
            <Link
              href={`/groups/${group.group_metadata_id}`}
              className={classes.square}
              data-state={stateOf(group)}
              tabIndex={index === at ? 0 : -1}
              onMouseEnter={() => setNamed(group)}
              onFocus={() => {
                setNamed(group);
                setAt(index);
              }}
            >
              <VisuallyHidden>{describe(group)}</VisuallyHidden>
            </Link>
          </li>
        ))}
      </ul>
      <Text size="sm" c="dimmed" aria-hidden="true" className={classes.named} dir="auto">
        {named && describe(groups.find((group) => group.group_metadata_id === named.group_metadata_id) ?? named)}
      </Text>
    </div>
  );
}

function describe(group: GroupRow): string {
  const state = stateOf(group);
  return `${group.group_name}: ${state === 'read' ? t('campaign.read') : t(`campaign.state.${state}`)}`;
}

/** With several posts to a group, what needs a look comes first. */
function stateOf({ failed, queued, sent, read, cancelled, skipped }: GroupRow): SquareState {
  if (failed > 0) return 'failed';
  if (read !== null && read > 0) return 'read';
  if (sent > 0) return 'sent';
  if (queued > 0 || cancelled === 0) return 'waiting';
  return skipped === undefined ? 'cancelled' : 'leftOut';
}
