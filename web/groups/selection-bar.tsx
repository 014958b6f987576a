import { Button } from '@mantine/core';
import type { GroupList } from '../api/operations.ts';
import type { PickedGroup } from '../compose/draft.ts';
import { membersOf } from '../compose/audience.ts';
import { count } from '../format/numbers.ts';
import { BottomBar } from '../parts/bottom-bar.tsx';
import { words } from '../words/words.ts';
import { SaveListButton } from './save-list-button.tsx';

/** The selected groups, whatever the search is, with their actions. */
export function SelectionBar({
  selected,
  changing,
  write,
  clear,
  onSaved,
}: {
  selected: readonly PickedGroup[];
  /** The list that is being edited. */
  changing: GroupList | undefined;
  write: () => void;
  clear: () => void;
  onSaved: (listId: number) => void;
}) {
  if (selected.length === 0 && !changing) return null;
  return (
    <BottomBar sum={words.groups.selected(selected.length, count(selected.length), count(membersOf(selected)))}>
      <Button size="compact-sm" variant="default" onClick={clear}>
        {changing ? words.cancel : words.clear}
      </Button>
      <SaveListButton key={changing?.group_list_id ?? 'new'} groups={selected} list={changing} onSaved={onSaved} />
      {!changing && (
        <Button size="compact-sm" onClick={write}>
          {words.groups.write}
        </Button>
      )}
    </BottomBar>
  );
}
