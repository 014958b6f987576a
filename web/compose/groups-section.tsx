import { Section } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';
import type { PickedGroup } from './draft.ts';
import { PickGroups, together } from './pick-groups.tsx';
import { PickList } from './pick-list.tsx';

/** The groups a post is for: picked one by one, or by a saved list. */
export function GroupsSection({
  groups,
  onChange,
}: {
  groups: readonly PickedGroup[];
  onChange: (groups: readonly PickedGroup[]) => void;
}) {
  return (
    <Section title={t('compose.groups')} aside={<PickList onPick={(more) => onChange(together(groups, more))} />}>
      <PickGroups picked={groups} onChange={onChange} />
    </Section>
  );
}
