import type { ReactNode } from 'react';
import type { GroupKind } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import { words } from '../words/words.ts';

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
    <figure className="phone" aria-label={words.phone.label(name)}>
      <figcaption className="phone-head">
        <span className="phone-face" aria-hidden="true">
          {name.charAt(0).toUpperCase()}
        </span>
        <span className="phone-name">
          <span className="clip">{name}</span>
          {participants !== null && (
            <span className="phone-members">
              {kind === 'channel'
                ? words.phone.followers(count(participants))
                : words.phone.members(count(participants))}
            </span>
          )}
        </span>
      </figcaption>
      <div className="phone-chat">{children}</div>
    </figure>
  );
}
