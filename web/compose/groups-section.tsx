import { Anchor, Button, Group as Row, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { listNames } from '../format/list-names.ts';
import { Callout } from '../parts/callout.tsx';
import { Section } from '../parts/page.tsx';
import { useIsPhone } from '../parts/use-is-phone.ts';
import { t } from '../i18n/translate.ts';
import { useListsText } from './audience.ts';
import { withGroups, withList, type Draft, type PickedGroup } from './draft.ts';
import { GroupPicker, mergeGroups, type Pickable } from './group-picker.tsx';
import { PasteNamesButton } from './paste-names-button.tsx';
import { SavedListPicker } from './saved-list-picker.tsx';

const NAMED = 3;

interface GroupsProps {
  groups: readonly PickedGroup[];
  onChange: (groups: readonly PickedGroup[]) => void;
}

/** The groups of the post, picked one by one, and its saved lists. */
export function GroupsSection({ draft, update }: { draft: Draft; update: (next: Partial<Draft>) => void }) {
  const { groups } = draft;
  const isPhone = useIsPhone();
  const onChange = (next: readonly PickedGroup[]) => update(withGroups(draft, next));
  const add = (more: readonly Pickable[]) => onChange(mergeGroups(groups, more));
  const lists = useListsText(draft);
  return (
    <Section
      title={t('compose.groups')}
      aside={
        <Row gap="xs">
          <PasteNamesButton onPick={add} />
          <SavedListPicker onPick={(list, ofList) => update(withList(draft, list.group_list_id, ofList))} />
        </Row>
      }
    >
      {lists !== undefined && (
        <Callout mb="sm">
          {lists}{' '}
          <Anchor component="button" type="button" onClick={() => update({ groupListIds: [], listedIds: [] })}>
            {t('compose.fixLists')}
          </Anchor>
        </Callout>
      )}
      {isPhone ? (
        <GroupsSheet groups={groups} onChange={onChange} />
      ) : (
        <GroupPicker picked={groups} onChange={onChange} />
      )}
    </Section>
  );
}

/** On a phone: what is picked, and a sheet over the whole screen to pick from. */
function GroupsSheet({ groups, onChange }: GroupsProps) {
  const [isOpen, opened] = useDisclosure(false);
  return (
    <>
      {groups.length > 0 && (
        <Text size="sm" mb="xs">
          {listNames(
            groups.map((group) => group.group_name),
            NAMED,
          )}
        </Text>
      )}
      <Button variant="default" fullWidth onClick={opened.open}>
        {t('compose.chooseGroups')}
      </Button>
      <Modal opened={isOpen} onClose={opened.close} title={t('compose.groups')} fullScreen>
        <GroupPicker picked={groups} onChange={onChange} />
        <Button fullWidth mt="md" onClick={opened.close}>
          {t('common.done')}
        </Button>
      </Modal>
    </>
  );
}
