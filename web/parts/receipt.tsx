import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import boxClasses from './box.module.css';
import { Icon } from './icons.tsx';
import classes from './receipt.module.css';

/** What a dialog is about to do: warnings first, then how many it concerns, when, and the post (`children`). */
export function Receipt({
  warnings,
  figures,
  lines,
  children,
}: {
  warnings: readonly string[];
  figures: readonly string[];
  lines: readonly string[];
  children?: ReactNode;
}) {
  return (
    <div>
      {warnings.length > 0 && (
        <ul className={`${boxClasses.warning} ${classes.warnings}`}>
          {warnings.map((warning) => (
            <li key={warning}>
              <Icon name="alert" size={16} /> <span>{warning}</span>
            </li>
          ))}
        </ul>
      )}
      <p className={classes.figures}>
        {figures.map((figure) => (
          <span key={figure}>{figure}</span>
        ))}
      </p>
      {lines.map((line) => (
        <Text size="sm" key={line}>
          {line}
        </Text>
      ))}
      {children}
    </div>
  );
}
