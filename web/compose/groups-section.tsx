import { Button, Group as Row, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Group } from '../api/operations.ts';
import { listNames } from '../format/list-names.ts';
import { Section } from '../parts/page.tsx';
import { useIsPhone } from '../parts/use-is-phone.ts';
import { t } from '../i18n/translate.ts';
import type { PickedGroup } from './draft.ts';
import { GroupPicker, mergeGroups } from './group-picker.tsx';
import { PasteNamesButton } from './paste-names-button.tsx';
import { SavedListPicker } from './saved-list-picker.tsx';

const NAMED = 3;

interface GroupsProps {
  groups: readonly PickedGroup[];
  onChange: (groups: readonly PickedGroup[]) => void;
}

/** The groups of the post, picked one by one or from a saved list. */
export function GroupsSection({ groups, onChange }: GroupsProps) {
  const isPhone = useIsPhone();
  const add = (more: readonly Group[]) => onChange(mergeGroups(groups, more));
  return (
    <Section
      title={t('compose.groups')}
      aside={
        <Row gap="xs">
          <PasteNamesButton onPick={add} />
          <SavedListPicker onPick={add} />
        </Row>
      }
    >
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
