import { Button } from '@mantine/core';
import type { GroupList } from '../api/operations.ts';
import { useMay } from '../api/workspace.ts';
import type { PickedGroup } from '../compose/draft.ts';
import { membersOf } from '../compose/audience.ts';
import { BottomBar } from '../parts/bottom-bar.tsx';
import { t } from '../i18n/translate.ts';
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
  const mayWrite = useMay('author') !== false;
  if (selected.length === 0 && !changing) return null;
  return (
    <BottomBar sum={t('groups.selected', { groups: selected.length, members: membersOf(selected) })}>
      <Button size="compact-sm" variant="default" onClick={clear}>
        {changing ? t('common.cancel') : t('common.clear')}
      </Button>
      <SaveListButton key={changing?.group_list_id ?? 'new'} groups={selected} list={changing} onSaved={onSaved} />
      {mayWrite && !changing && (
        <Button size="compact-sm" onClick={write}>
          {t('groups.write')}
        </Button>
      )}
    </BottomBar>
  );
}
