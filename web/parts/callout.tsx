import { Text, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';
import classes from './callout.module.css';

/** Something to know, set apart from what is around it. */
export function Callout({ children, ...props }: TextProps & { children: ReactNode; role?: 'status' }) {
  return (
    <Text size="sm" className={classes.note} {...props}>
      {children}
    </Text>
  );
}

/** What matters more than all else on the page just now. */
export function LargeCallout({
  icon,
  title,
  role,
  children,
}: {
  icon: IconName;
  title: string;
  role: 'note' | 'status';
  children: ReactNode;
}) {
  return (
    <div className={`${classes.note} ${classes.large}`} role={role}>
      <Icon name={icon} size={20} />
      <div>
        <Text fw={600}>{title}</Text>
        {children}
      </div>
    </div>
  );
}
