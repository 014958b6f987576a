import type { ReactNode } from 'react';
import type { GroupKind } from '../api/operations.ts';
import textClasses from '../parts/text.module.css';
import { t } from '../i18n/translate.ts';
import classes from './phone.module.css';

/** A member's phone with one chat open. */
export function Phone({
  name,
  kind,
  participants,
  children,
}: {
  name: string;
  kind: GroupKind;
  participants: number | null;
  children: ReactNode;
}) {
  return (
    <figure className={classes.phone} aria-label={t('phone.label', { name })}>
      <figcaption className={classes.head}>
        <span className={classes.avatar} aria-hidden="true">
          {name.charAt(0).toUpperCase()}
        </span>
        <span className={classes.name}>
          <span dir="auto" className={textClasses.clip}>
            {name}
          </span>
          {participants !== null && (
            <span className={classes.members}>
              {kind === 'channel'
                ? t('report.followers', { followers: participants })
                : t('compose.summary.members', { members: participants })}
            </span>
          )}
        </span>
      </figcaption>
      <Chat>{children}</Chat>
    </figure>
  );
}

/** The chat without its header, for small places. */
export function ChatOnly({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.phone} data-bare role="group" aria-label={label}>
      <Chat>{children}</Chat>
    </div>
  );
}

function Chat({ children }: { children: ReactNode }) {
  return (
    // What scrolls has to be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={classes.chat} role="group" aria-label={t('phone.posts')} tabIndex={0}>
      {children}
    </div>
  );
}

/** In place of posts. */
export function NoPosts({ children }: { children: string }) {
  return <p className={classes.hint}>{children}</p>;
}
