import '@mantine/core/styles.layer.css';
import { ActionIcon, Button, Kbd, Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState, useEffect, type MouseEvent, type ReactNode } from 'react';
import { Link, useLocation, useRoute } from 'wouter';
import { useLiveEvents } from '../api/live-events.ts';
import { useReauthentication } from '../api/reauthentication.ts';
import { sessionQuery, signOut } from '../api/session.ts';
import { saveAllDrafts } from '../drafts/save-draft.ts';
import { useUnsavedChangesGuard } from '../drafts/use-unsaved-changes-guard.tsx';
import { commandKey } from '../format/command-key.ts';
import { CircleBadge } from '../parts/circle-badge.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { lazyWithRetry } from '../parts/lazy-with-retry.ts';
import { PRODUCT } from '../parts/product.ts';
import { t } from '../i18n/translate.ts';
import { AccountPill } from './account-pill.tsx';
import { Bell } from '../notices/bell.tsx';
import { stopPush } from '../notices/load-push.ts';
import { HoldBanner } from './hold-banner.tsx';
import classes from './shell.module.css';
import { useMay, useRememberWorkspace } from '../api/workspace.ts';
import { WorkspaceSwitcher } from './workspace-switcher.tsx';
import { useTypeahead } from './use-typeahead.ts';

const HelpDialog = lazy(lazyWithRetry(() => import('./help-dialog.tsx')));
const ReauthenticationDialog = lazy(lazyWithRetry(() => import('./reauthentication-dialog.tsx')));
const CommandPalette = lazy(
  lazyWithRetry(async () => ({ default: (await import('./command-palette.tsx')).CommandPalette })),
);

/** The frame of every page: a rail on the left, a bottom bar on phones. */
export function Shell({ children }: { children: ReactNode }) {
  const [, go] = useLocation();
  useLiveEvents();
  useRememberWorkspace();
  useAutosave();
  const [isPaletteOpen, palette] = useDisclosure(false);
  const wasPaletteOpened = useEver(isPaletteOpen);
  const [typed, type] = useTypeahead(isPaletteOpen);
  const wasAsked = useEver(useReauthentication() !== undefined);
  const [isHelping, help] = useDisclosure(false);
  const mayWrite = useMay('author') !== false;
  // Some keyboards need the shift key for this character.
  useHotkeys([
    ['n', () => mayWrite && go('/campaigns/new')],
    ['/', () => focusSearch(palette.open)],
    ['shift+/', () => focusSearch(palette.open)],
    ['?', help.open],
    ['shift+?', help.open],
  ]);
  // Also from within a field.
  useHotkeys([['mod+k', palette.toggle]], [], true);
  return (
    <div className={classes.shell}>
      <a href="#content" className={classes.skip}>
        {t('shell.skip')}
      </a>
      <nav aria-label={t('shell.pages')} className={classes.rail}>
        <div className={classes.head}>
          <div className={classes.place}>
            <Link href="/" className={classes.brand} aria-label={PRODUCT}>
              <Logo />
            </Link>
            <WorkspaceSwitcher />
          </div>
          <div className={classes.state}>
            <AccountPill />
            <Bell />
          </div>
          <UserMenu small openHelp={help.open} />
        </div>
        <NewButton mayWrite={mayWrite} />
        <div className={classes.pages}>
          <RailLink href="/" icon="campaigns" label={t('pages.campaigns')} />
          <RailLink href="/calendar" icon="calendar" label={t('pages.calendar')} />
          <RailLink href="/groups" icon="groups" label={t('pages.groups')} />
          <RailLink href="/report" icon="report" label={t('pages.report')} />
          <RailLink href="/account" icon="account" label={t('pages.account')} />
          <RailLink href="/settings" icon="settings" label={t('pages.settings')} />
        </div>
        <RailFooter openPalette={palette.open} openHelp={help.open} />
        {mayWrite && <FloatingNewButton />}
      </nav>
      <main id="content" tabIndex={-1} className={classes.main}>
        <HoldBanner />
        {children}
      </main>
      <Suspense>{wasAsked && <ReauthenticationDialog />}</Suspense>
      <Suspense>
        {wasPaletteOpened && <CommandPalette opened={isPaletteOpen} close={palette.close} typed={typed} type={type} />}
      </Suspense>
      <Suspense>{isHelping && <HelpDialog close={help.close} />}</Suspense>
    </div>
  );
}

function NewButton({ mayWrite }: { mayWrite: boolean }) {
  return (
    <Button
      component={Link}
      href="/campaigns/new"
      leftSection={<Icon name="plus" />}
      rightSection={<Kbd size="xs">N</Kbd>}
      className={classes.new}
      justify="space-between"
      fullWidth
      {...(!mayWrite && { 'data-disabled': true, 'aria-disabled': true, title: t('members.missing.author') })}
      onClick={(event: MouseEvent) => !mayWrite && event.preventDefault()}
    >
      {t('shell.newCampaign')}
    </Button>
  );
}

/** Returns whether it is or ever was true: an opened dialog stays mounted, so that it can fade out. */
function useEver(isSo: boolean): boolean {
  const [wasSo, setWasSo] = useState(isSo);
  if (isSo && !wasSo) setWasSo(true);
  return wasSo;
}

/** Saves drafts that an expired session left behind, and all drafts whenever the page is hidden. */
function useAutosave(): void {
  const client = useQueryClient();
  useEffect(() => {
    void saveAllDrafts(client);
    const keep = () => {
      if (document.visibilityState === 'hidden') void saveAllDrafts(client);
    };
    document.addEventListener('visibilitychange', keep);
    return () => document.removeEventListener('visibilitychange', keep);
  }, [client]);
}

/** Focuses the search field of the page; without one, opens the palette. */
function focusSearch(orElse: () => void): void {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]');
  if (field) field.focus();
  else orElse();
}

function RailLink({ href, icon, label }: { href: string; icon: IconName; label: string }) {
  const [isHere] = useRoute(href);
  return (
    <Link href={href} className={classes.link} aria-current={isHere ? 'page' : undefined}>
      <Icon name={icon} /> <span>{label}</span>
    </Link>
  );
}

function UserMenu({ small = false, openHelp }: { small?: boolean; openHelp: () => void }) {
  const client = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const [, go] = useLocation();
  const name = session ? `${session.user_info.first_name} ${session.user_info.last_name}`.trim() : '';
  const { leave, question } = useUnsavedChangesGuard(async () => {
    await stopPush();
    await signOut(client);
    go('/sign-in');
  });
  return (
    <>
      {/* Fixed, like the rail. */}
      <Menu position="top-start" width={220} floatingStrategy="fixed">
        <Menu.Target>
          <UnstyledButton className={small ? `${classes.link} ${classes.small}` : classes.link}>
            <CircleBadge>{name.charAt(0).toUpperCase()}</CircleBadge>
            <span className={classes.user}>{name}</span>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{session?.user_info.email}</Menu.Label>
          <Menu.Item component={Link} href="/settings" leftSection={<Icon name="settings" size={16} />}>
            {t('pages.settings')}
          </Menu.Item>
          {session?.is_admin && (
            <Menu.Item component={Link} href="/users" leftSection={<Icon name="groups" size={16} />}>
              {t('pages.users')}
            </Menu.Item>
          )}
          {session?.is_admin && (
            <Menu.Item component={Link} href="/installation" leftSection={<Icon name="list" size={16} />}>
              {t('pages.installation')}
            </Menu.Item>
          )}
          <Menu.Item component={Link} href="/phone" leftSection={<Icon name="phone" size={16} />}>
            {t('pages.phone')}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="help" size={16} />} onClick={openHelp}>
            {t('shell.help')}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="out" size={16} />} onClick={leave}>
            {t('shell.signOut')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {question}
    </>
  );
}

function Logo() {
  return (
    <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--mantine-color-bronze-7)" />
      <path
        d="M16 5l7 6v2h-2v12h2v2H9v-2h2V13H9v-2zm0 7a4 4 0 0 0-4 4v5h8v-5a4 4 0 0 0-4-4z"
        fill="#fff"
        fillRule="evenodd"
      />
    </svg>
  );
}

function RailFooter({ openPalette, openHelp }: { openPalette: () => void; openHelp: () => void }) {
  const { data: session } = useQuery(sessionQuery);
  return (
    <div className={classes.foot}>
      <UnstyledButton className={classes.link} onClick={openPalette} aria-keyshortcuts="Control+K Meta+K">
        <Icon name="search" /> {t('shell.find')}
        <Kbd size="xs" ml="auto">
          {commandKey()} K
        </Kbd>
      </UnstyledButton>
      <UnstyledButton className={classes.link} onClick={openHelp} aria-keyshortcuts="?">
        <Icon name="help" /> {t('shell.help')}
        <Kbd size="xs" ml="auto">
          ?
        </Kbd>
      </UnstyledButton>
      <UserMenu openHelp={openHelp} />
      {session && (
        <span className={classes.version}>
          {PRODUCT} {session.version}
        </span>
      )}
    </div>
  );
}

/** On phones, where the rail has no room for the large button. */
function FloatingNewButton() {
  return (
    <Tooltip label={t('shell.newCampaign')}>
      <ActionIcon
        component={Link}
        href="/campaigns/new"
        aria-label={t('shell.newCampaign')}
        className={classes.float}
        size={52}
        radius="xl"
      >
        <Icon name="plus" size={24} />
      </ActionIcon>
    </Tooltip>
  );
}
