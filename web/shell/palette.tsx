import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useId, useState, type KeyboardEvent } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api/call.ts';
import { Icon, type IconName } from '../parts/icons.tsx';
import { words } from '../words/words.ts';
import classes from './palette.module.css';

interface Entry {
  label: string;
  hint: string;
  icon: IconName;
  href: string;
}

const ACTIONS: readonly Entry[] = [
  { label: words.shell.newCampaign, hint: 'N', icon: 'plus', href: '/campaigns/new' },
  { label: words.pages.campaigns, hint: '', icon: 'campaigns', href: '/' },
  { label: words.pages.calendar, hint: '', icon: 'calendar', href: '/calendar' },
  { label: words.pages.groups, hint: '', icon: 'groups', href: '/groups' },
  { label: words.pages.account, hint: '', icon: 'account', href: '/account' },
  { label: words.pages.phone, hint: '', icon: 'phone', href: '/phone' },
  { label: words.pages.settings, hint: '', icon: 'settings', href: '/settings' },
];
const FOUND = 6;
const WAIT_MS = 150;

/** Finds pages, campaigns and groups by what is typed; arrows choose, Enter opens. */
export function Palette({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Modal.Root opened={opened} onClose={close} yOffset="12vh" centered={false} size={560}>
      <Modal.Overlay />
      <Modal.Content aria-label={words.palette.title}>
        <Modal.Body p={0}>
          <PaletteContent close={close} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function PaletteContent({ close }: { close: () => void }) {
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const [, go] = useLocation();
  const listId = useId();
  const entries = useEntries(typed);
  const at = Math.min(chosen, entries.length - 1);

  const open = (entry: Entry | undefined) => {
    if (!entry) return;
    close();
    go(entry.href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') open(entries[at]);
    else if (event.key === 'ArrowDown') setChosen(Math.min(at + 1, entries.length - 1));
    else if (event.key === 'ArrowUp') setChosen(Math.max(at - 1, 0));
    else return;
    event.preventDefault();
  };

  return (
    <>
      <TextInput
        variant="unstyled"
        size="lg"
        px="md"
        data-autofocus
        leftSection={<Icon name="search" />}
        placeholder={words.palette.placeholder}
        aria-label={words.palette.placeholder}
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={entries.length > 0 ? `${listId}-${at}` : undefined}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={listId} aria-label={words.palette.title} className={classes.list}>
        {entries.map((entry, index) => (
          // The field keeps the focus and the keys; this is for pointers.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={`${entry.href} ${entry.label}`}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === at}
            className={classes.entry}
            onClick={() => open(entry)}
          >
            <Icon name={entry.icon} />
            <span>{entry.label}</span>
            <span className={classes.hint}>{entry.hint}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 && <p className={classes.none}>{words.palette.nothing}</p>}
    </>
  );
}

function useEntries(typed: string): Entry[] {
  const [search] = useDebouncedValue(typed.trim(), WAIT_MS);
  const found = useQuery({
    queryKey: ['palette', search],
    enabled: search !== '',
    queryFn: ({ signal }) => find(search, signal),
  });
  const wanted = typed.trim().toLocaleLowerCase(words.locale);
  const actions = ACTIONS.filter(({ label }) => label.toLocaleLowerCase(words.locale).includes(wanted));
  return [...actions, ...(search === '' ? [] : (found.data ?? []))];
}

async function find(search: string, signal: AbortSignal): Promise<Entry[]> {
  const [{ campaigns }, { groups }] = await Promise.all([
    call('venom/list-campaigns', { search, limit: FOUND }, { signal }),
    call('venom/list-groups', { search, limit: FOUND }, { signal }),
  ]);
  return [
    ...campaigns.map(({ campaign_id, name, status }) => ({
      label: name,
      hint: words.status[status],
      icon: 'campaigns' as const,
      href: `/campaigns/${campaign_id}`,
    })),
    ...groups.map(({ group_name, kind }) => ({
      label: group_name,
      hint: words.kinds[kind],
      icon: 'groups' as const,
      href: `/groups?search=${encodeURIComponent(group_name)}`,
    })),
  ];
}
