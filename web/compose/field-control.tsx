import { Menu } from '@mantine/core';
import { RichTextEditor, useRichTextEditorContext } from '@mantine/tiptap';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { fieldsQuery } from '../groups/fields/field-queries.ts';
import { t } from '../i18n/translate.ts';

/** What a post can say without a field of the workspace. */
const BUILT_IN = ['group', 'members', 'date', 'weekday', 'time'] as const;

const Word = () => <span>{t('compose.fields.insert')}</span>;

/** Inserts a field at the cursor, which each group has its own value of. */
export function FieldControl({ onInsert }: { onInsert: () => void }) {
  const { editor } = useRichTextEditorContext();
  const [isOpen, setOpen] = useState(false);
  const { data: fields } = useQuery({ ...fieldsQuery, enabled: isOpen });
  const insert = (name: string) => {
    onInsert();
    editor?.chain().focus().insertContent(`{{ ${name} }}`).run();
  };
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-start" shadow="md">
      <Menu.Target>
        <RichTextEditor.Control
          aria-label={t('compose.fields.insertHint')}
          title={t('compose.fields.insertHint')}
          w="auto"
          px={6}
          fz="xs"
        >
          <Word />
        </RichTextEditor.Control>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
        {fields?.map(({ field_id: id, name }) => (
          <Menu.Item key={id} dir="auto" onClick={() => insert(name)}>
            {name}
          </Menu.Item>
        ))}
        {fields?.length === 0 && (
          <Menu.Item component={Link} href="/groups/fields">
            {t('groupFields.add')}
          </Menu.Item>
        )}
        <Menu.Divider />
        {BUILT_IN.map((name) => (
          <Menu.Item key={name} onClick={() => insert(name)}>
            {t(`compose.fields.builtIn.${name}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
