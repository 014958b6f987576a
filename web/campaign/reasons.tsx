import type { ReactNode } from 'react';
import type { GroupRow } from '../api/operations.ts';
import textClasses from '../parts/text.module.css';
import { words } from '../words/words.ts';
import classes from './reasons.module.css';

const NAMED = 3;

/** What happened to groups and why, a `Reason` or a `Said` each. */
export function Reasons({ children }: { children: ReactNode }) {
  return <ul className={classes.reasons}>{children}</ul>;
}

/** Something that needs no reason. */
export function Said({ children }: { children: string }) {
  return <li className={classes.what}>{children}</li>;
}

/** `what` it was, the first of the groups that it hit, and more about it; `action`: what can be done. */
export function Reason({
  what,
  hit,
  more,
  action,
}: {
  what: string;
  hit: readonly GroupRow[];
  more: string;
  action?: ReactNode;
}) {
  const names = hit.slice(0, NAMED).map((group) => group.group_name);
  return (
    <li>
      <div className={classes.said}>
        <p className={classes.what}>{what}</p>
        <p className={textClasses.dim}>{words.campaign.named(names, hit.length - names.length)}</p>
        <p>{more}</p>
      </div>
      {action}
    </li>
  );
}
