import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { BottomBar } from '../parts/bottom-bar.tsx';
import classes from './compose-layout.module.css';

/** The form with its buttons at the end, and beside it, or below where there is no room, the phone. */
export function ComposeLayout({
  sum,
  buttons,
  preview,
  children,
}: {
  sum: string;
  buttons: ReactNode;
  preview: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className={classes.compose}>
      <Stack gap="md">
        {children}
        <BottomBar sum={sum} ofForm>
          {buttons}
        </BottomBar>
      </Stack>
      {preview}
    </div>
  );
}
