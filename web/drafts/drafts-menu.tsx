import { Button, Menu, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { sessionQuery } from '../api/session.ts';
import { useMay } from '../api/workspace.ts';
import { draftPath } from '../compose/create-draft.ts';
import { count } from '../format/numbers.ts';
import { personName } from '../format/person-name.ts';
import { shorten } from '../format/shorten.ts';
import { RelativeTime } from '../parts/relative-time.tsx';
import { t } from '../i18n/translate.ts';
import { draftsQuery, type DraftRow } from './persisted-draft.ts';

const LONGEST = 60;

/** A menu with the other drafts; nothing without any, and for those who may write none. */
export function DraftsMenu({ openId }: { openId?: string }) {
  const { data } = useQuery(draftsQuery);
  const { data: session } = useQuery(sessionQuery);
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
              {writersOf(draft, session?.user_info.user_id)}
              <RelativeTime at={draft.updated_at} />
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Returns who else has written a draft, before the time of its last change; nothing for one's own. */
function writersOf({ written_by: writers }: DraftRow, self: number | undefined): string {
  const others = writers.filter((one) => one.user_id !== self);
  return others.length === 0 ? '' : `${others.map(personName).join(', ')} · `;
}

/** Returns its name, or the start of its message. */
function draftTitle({ name, html_start: html }: Pick<DraftRow, 'name' | 'html_start'>): string {
  if (name.trim() !== '') return name;
  return excerptOf(html) || t('drafts.unnamed');
}

/** Returns the start of a message in plain text. */
export function excerptOf(html: string): string {
  return shorten(new DOMParser().parseFromString(html, 'text/html').body.textContent.trim(), LONGEST);
}
