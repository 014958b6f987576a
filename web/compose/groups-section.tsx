import { Section } from '../parts/page.tsx';
import { words } from '../words/words.ts';
import type { PickedGroup } from './draft.ts';
import { GroupPicker, mergeGroups } from './group-picker.tsx';
import { SavedListPicker } from './saved-list-picker.tsx';

/** The groups of the post, picked one by one or from a saved list. */
export function GroupsSection({
  groups,
  onChange,
}: {
  groups: readonly PickedGroup[];
  onChange: (groups: readonly PickedGroup[]) => void;
}) {
  return (
    <Section
      title={words.compose.groups}
      aside={<SavedListPicker onPick={(more) => onChange(mergeGroups(groups, more))} />}
    >
      <GroupPicker picked={groups} onChange={onChange} />
    </Section>
  );
}
