import { Link } from 'wouter';
import type { PickedGroup } from '../compose/draft.ts';
import textClasses from '../parts/text.module.css';
import classes from './group-link.module.css';

/** The name of a group as a link to its page. */
export function GroupLink({ group }: { group: Pick<PickedGroup, 'group_metadata_id' | 'group_name'> }) {
  return (
    <Link
      href={`/groups/${group.group_metadata_id}`}
      className={`${textClasses.clip} ${classes.link}`}
      title={group.group_name}
      dir="auto"
    >
      {group.group_name}
    </Link>
  );
}
