import { Button, Menu, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useMay } from '../api/workspace.ts';
import { draftPath } from '../compose/create-draft.ts';
import { count } from '../format/numbers.ts';
import { shorten } from '../format/shorten.ts';
import { RelativeTime } from '../parts/relative-time.tsx';
import { t } from '../i18n/translate.ts';
import { draftsQuery, type DraftRow } from './persisted-draft.ts';

const LONGEST = 60;

/** A menu with the other drafts; nothing without any, and for those who may write none. */
export function DraftsMenu({ openId }: { openId?: string }) {
  const { data } = useQuery(draftsQuery);
  const others = data?.drafts.filter((draft) => draft.draft_id !== openId) ?? [];
  const mayWrite = useMay('author') !== false;
  if (!mayWrite || others.length === 0) return null;
  return (
    <Menu position="bottom-end" width={320}>
      <Menu.Target>
        <Button variant="default">{t('drafts.title', { many: count(others.length) })}</Button>
      </Menu.Target>
      <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto' }}>
        {others.map((draft) => (
          <Menu.Item key={draft.draft_id} component={Link} href={draftPath(draft.draft_id)}>
            <Text size="sm" truncate>
              {draftTitle(draft)}
            </Text>
            <Text size="xs" c="dimmed">
              <RelativeTime at={draft.updated_at} />
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Returns its name, or the start of its message. */
function draftTitle({ name, html_start: html }: Pick<DraftRow, 'name' | 'html_start'>): string {
  if (name.trim() !== '') return name;
  const text = new DOMParser().parseFromString(html, 'text/html').body.textContent.trim();
  return text === '' ? t('drafts.unnamed') : shorten(text, LONGEST);
}
