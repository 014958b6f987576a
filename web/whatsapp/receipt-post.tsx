import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import boxClasses from '../parts/box.module.css';
import textClasses from '../parts/text.module.css';
import { MessageText } from './message-text.tsx';
import classes from './receipt-post.module.css';

/** The post of a `Receipt`, small, as members see it. `notes`: its files, a line each. */
export function ReceiptPost({
  name,
  text,
  picture,
  notes,
}: {
  name: string;
  text: string;
  picture?: ReactNode;
  notes?: readonly string[];
}) {
  return (
    <div className={`${boxClasses.inset} ${classes.post}`}>
      {picture}
      <div className={classes.text}>
        <Text fw={600} size="sm" className={textClasses.breakable}>
          {name}
        </Text>
        {text !== '' && <MessageText text={text} className={classes.message} />}
        {notes?.map((note) => (
          <Text key={note} size="xs" c="dimmed" className={textClasses.breakable}>
            {note}
          </Text>
        ))}
      </div>
    </div>
  );
}
