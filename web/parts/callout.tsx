import { Text, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';
import classes from './callout.module.css';

/** A highlighted note. */
export function Callout({ children, ...props }: TextProps & { children: ReactNode; role?: 'status' }) {
  return (
    <Text size="sm" className={classes.note} {...props}>
      {children}
    </Text>
  );
}

/** The most important message of the page. */
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
