import { ActionIcon, Button, Kbd, Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation, useRoute } from 'wouter';
import { useLiveProgress } from '../api/live.ts';
import { sessionQuery, signOut } from '../api/session.ts';
import { Disc } from '../parts/disc.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { tellProblem } from '../parts/notify.ts';
import { words } from '../words/words.ts';
import { AccountPill } from './account-pill.tsx';
import { Palette } from './palette.tsx';
import classes from './shell.module.css';

/** The frame around every page: a rail on the left, on phones a bar at the bottom. */
export function Shell({ children }: { children: ReactNode }) {
  const [, go] = useLocation();
  useLiveProgress();
  const [isPaletteOpen, palette] = useDisclosure(false);
  useHotkeys([['n', () => go('/campaigns/new')]]);
  // Also out of a field.
  useHotkeys([['mod+k', palette.toggle]], [], true);
  return (
    <div className={classes.shell}>
      <a href="#content" className={classes.skip}>
        {words.shell.skip}
      </a>
      <nav aria-label={words.shell.pages} className={classes.rail}>
        <div className={classes.head}>
          <Link href="/" className={classes.brand}>
            <Logo /> {words.product}
          </Link>
          <div className={classes.state}>
            <AccountPill />
          </div>
          <UserMenu small />
        </div>
        <Button
          component={Link}
          href="/campaigns/new"
          leftSection={<Icon name="plus" />}
          rightSection={<Kbd size="xs">N</Kbd>}
          className={classes.new}
          justify="space-between"
          fullWidth
        >
          {words.shell.newCampaign}
        </Button>
        <div className={classes.pages}>
          <RailLink href="/" icon="campaigns" label={words.pages.campaigns} />
          <RailLink href="/calendar" icon="calendar" label={words.pages.calendar} />
          <RailLink href="/groups" icon="groups" label={words.pages.groups} />
          <RailLink href="/account" icon="account" label={words.pages.account} />
          <RailLink href="/settings" icon="settings" label={words.pages.settings} />
        </div>
        <div className={classes.foot}>
          <UnstyledButton className={classes.link} onClick={palette.open} aria-keyshortcuts="Control+K Meta+K">
            <Icon name="search" /> {words.shell.find}
            <Kbd size="xs" ml="auto">
              {words.shell.paletteKeys}
            </Kbd>
          </UnstyledButton>
          <UserMenu />
        </div>
      </nav>
      <main id="content" tabIndex={-1} className={classes.main}>
        {children}
      </main>
      <Tooltip label={words.shell.newCampaign}>
        <ActionIcon
          component={Link}
          href="/campaigns/new"
          aria-label={words.shell.newCampaign}
          className={classes.float}
          size={52}
          radius="xl"
        >
          <Icon name="plus" size={24} />
        </ActionIcon>
      </Tooltip>
      <Palette opened={isPaletteOpen} close={palette.close} />
    </div>
  );
}

function RailLink({ href, icon, label }: { href: string; icon: IconName; label: string }) {
  const [isHere] = useRoute(href);
  return (
    <Link href={href} className={classes.link} aria-current={isHere ? 'page' : undefined}>
      <Icon name={icon} /> <span>{label}</span>
    </Link>
  );
}

function UserMenu({ small = false }: { small?: boolean }) {
  const client = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const [, go] = useLocation();
  const name = session ? `${session.user_info.first_name} ${session.user_info.last_name}`.trim() : '';
  const leave = () => {
    signOut(client).then(() => go('/sign-in'), tellProblem);
  };
  return (
    <Menu position="top-start" width={220}>
      <Menu.Target>
        <UnstyledButton className={small ? `${classes.link} ${classes.small}` : classes.link}>
          <Disc>{name.charAt(0).toUpperCase()}</Disc>
          <span className={classes.user}>{name}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{session?.user_info.email}</Menu.Label>
        <Menu.Item component={Link} href="/settings" leftSection={<Icon name="settings" size={16} />}>
          {words.pages.settings}
        </Menu.Item>
        <Menu.Item component={Link} href="/phone" leftSection={<Icon name="phone" size={16} />}>
          {words.pages.phone}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="out" size={16} />} onClick={leave}>
          {words.shell.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
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
