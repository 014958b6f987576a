import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type KeyboardEvent } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api/call.ts';
import type { CampaignRow, Group } from '../api/operations.ts';
import { useMay } from '../api/workspace.ts';
import { ConfirmCancel } from '../campaigns/confirm-cancel.tsx';
import { invalidateCampaign } from '../campaigns/use-campaign-action.ts';
import { useRetry } from '../campaigns/use-retry.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { showToast, notifyError } from '../parts/notify.ts';
import { locale, t } from '../i18n/translate.ts';
import { commandsFor, parseCommand, type Command } from './commands.ts';
import classes from './command-palette.module.css';

/** The typed text, which may start before this component has loaded. */
interface Typing {
  typed: string;
  type: (text: string) => void;
}

interface Entry {
  label: string;
  hint: string;
  icon: IconName;
  /** A link or an action, and the campaign it is for: several may have one name. */
  href?: string;
  act?: () => void;
  of?: string;
}

const NEW_CAMPAIGN = '/campaigns/new';
const ACTIONS: readonly Entry[] = [
  { label: t('shell.newCampaign'), hint: 'N', icon: 'plus', href: NEW_CAMPAIGN },
  { label: t('pages.campaigns'), hint: '', icon: 'campaigns', href: '/' },
  { label: t('templates.title'), hint: '', icon: 'copy', href: '/templates' },
  { label: t('pages.calendar'), hint: '', icon: 'calendar', href: '/calendar' },
  { label: t('pages.groups'), hint: '', icon: 'groups', href: '/groups' },
  { label: t('pages.report'), hint: '', icon: 'report', href: '/report' },
  { label: t('pages.account'), hint: '', icon: 'account', href: '/account' },
  { label: t('pages.phone'), hint: '', icon: 'phone', href: '/phone' },
  { label: t('pages.settings'), hint: '', icon: 'settings', href: '/settings' },
];
const COMMAND_ICONS: Readonly<Record<Command, IconName>> = {
  pause: 'pause',
  resume: 'play',
  retry: 'sync',
  change: 'edit',
  cancel: 'stop',
};
const FOUND = 6;
const WAIT_MS = 150;

/** Finds pages, campaigns, groups and actions on campaigns; arrow keys choose, Enter runs. */
export function CommandPalette({ opened, close, typed, type }: { opened: boolean; close: () => void } & Typing) {
  const [cancelled, setCancelled] = useState<CampaignRow>();
  const [isAsking, asking] = useDisclosure(false);
  const askToCancel = (campaign: CampaignRow) => {
    setCancelled(campaign);
    asking.open();
  };
  return (
    <>
      <Modal.Root opened={opened} onClose={close} yOffset="12vh" centered={false} size={560}>
        <Modal.Overlay />
        <Modal.Content aria-label={t('palette.title')}>
          <Modal.Body p={0}>
            <PaletteContent close={close} askToCancel={askToCancel} typed={typed} type={type} />
          </Modal.Body>
        </Modal.Content>
      </Modal.Root>
      {cancelled && <ConfirmCancel campaign={cancelled} opened={isAsking} close={asking.close} />}
    </>
  );
}

function PaletteContent({
  close,
  askToCancel,
  typed,
  type,
}: { close: () => void; askToCancel: (campaign: CampaignRow) => void } & Typing) {
  const [{ of, at: chosen }, choose] = useState({ of: typed, at: 0 });
  const [, go] = useLocation();
  const listId = useId();
  const { entries, error, isAsking } = useEntries(typed, useCommands(askToCancel));
  // Another text selects the first entry again.
  const at = of === typed ? Math.min(chosen, entries.length - 1) : 0;
  const setChosen = (index: number) => choose({ of: typed, at: index });

  const open = (entry: Entry | undefined) => {
    if (!entry) return;
    close();
    if (entry.href !== undefined) go(entry.href);
    entry.act?.();
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
        placeholder={t('palette.placeholder')}
        aria-label={t('palette.placeholder')}
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={entries.length > 0 ? `${listId}-${at}` : undefined}
        value={typed}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={listId} aria-label={t('palette.title')} className={classes.list}>
        {entries.map((entry, index) => (
          // The input keeps the focus and the keys; this is for pointers.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={`${entry.icon} ${entry.href ?? entry.of}`}
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
      {error !== null && <ErrorAlert error={error} />}
      {entries.length === 0 && error === null && !isAsking && <p className={classes.none}>{t('palette.nothing')}</p>}
    </>
  );
}

type Carry = (command: Command, campaign: CampaignRow) => Entry;

interface Found {
  entries: Entry[];
  error: Error | null;
  /** Whether results are still loading. */
  isAsking: boolean;
}

/** Returns the entries for the typed text, never for an earlier one, since Enter would run them. */
function useEntries(typed: string, carry: Carry): Found {
  const wanted = typed.trim();
  const [settled] = useDebouncedValue(wanted, WAIT_MS);
  const { command, rest: search } = parseCommand(settled);
  const found = useQuery({
    queryKey: ['palette', search],
    enabled: search !== '',
    queryFn: ({ signal }) => find(search, signal),
  });
  const [mayWrite, maySend] = [useMay('author') !== false, useMay('manager') !== false];
  const lower = wanted.toLocaleLowerCase(locale);
  const actions = ACTIONS.filter(
    ({ label, href }) => label.toLocaleLowerCase(locale).includes(lower) && (mayWrite || href !== NEW_CAMPAIGN),
  );
  if (settled !== wanted) return { entries: actions, error: null, isAsking: true };
  if (!found.data || found.error) return { entries: actions, error: found.error, isAsking: found.isFetching };
  const { campaigns, groups } = found.data;
  const toDo = (campaign: CampaignRow) => (maySend ? commandsFor(campaign).map((one) => ({ one, campaign })) : []);
  // A single campaign shows all its actions; several show the typed one.
  const commands = campaigns
    .flatMap(toDo)
    .filter(({ one }) => (command === undefined ? campaigns.length === 1 : one === command))
    .map(({ one, campaign }) => carry(one, campaign));
  const named = [...campaigns.map(campaignEntry), ...groups.map(groupEntry)];
  const entries = command === undefined ? [...actions, ...named, ...commands] : [...commands, ...actions, ...named];
  return { entries, error: null, isAsking: false };
}

/** Returns the entry of a command: some run at once, others open a page or dialog. */
function useCommands(askToCancel: (campaign: CampaignRow) => void): Carry {
  const client = useQueryClient();
  const { mutate: retry } = useRetry();
  return (command, campaign) => {
    const { campaign_id: id, name } = campaign;
    const label = t(`palette.commands.${command}.label`, { name });
    const shown = { label, hint: t(`status.${campaign.status}`), icon: COMMAND_ICONS[command], of: id };
    if (command === 'change') return { ...shown, href: `/campaigns/${id}/change` };
    if (command === 'cancel') return { ...shown, act: () => askToCancel(campaign) };
    if (command === 'retry') return { ...shown, act: () => retry({ campaign_id: id, name }) };
    const act = async () => {
      await call(`venom/${command}-campaign`, { campaign_id: id });
      showToast(t(`palette.done.${command}`, { name }));
      await invalidateCampaign(client, id);
    };
    return { ...shown, act: () => void act().catch(notifyError) };
  };
}

async function find(search: string, signal: AbortSignal) {
  const [{ campaigns }, { groups }] = await Promise.all([
    call('venom/list-campaigns', { search, limit: FOUND }, { signal }),
    call('venom/list-groups', { search, limit: FOUND }, { signal }),
  ]);
  return { campaigns, groups };
}

function campaignEntry({ campaign_id: id, name, status }: CampaignRow): Entry {
  return { label: name, hint: t(`status.${status}`), icon: 'campaigns', href: `/campaigns/${id}` };
}

function groupEntry({ group_metadata_id: id, group_name: name, kind }: Group): Entry {
  return { label: name, hint: t(`kinds.${kind}`), icon: 'groups', href: `/groups/${id}` };
}
