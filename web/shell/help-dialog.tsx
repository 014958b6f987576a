import { Kbd, Modal, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';
import { commandKey } from '../format/command-key.ts';
import { words } from '../words/words.ts';
import classes from './help-dialog.module.css';

/** Keyboard shortcuts and frequent questions. */
export default function HelpDialog({ close }: { close: () => void }) {
  const { data: session } = useQuery(sessionQuery);
  const mod = commandKey();
  const said = words.help.keys;
  const keys: readonly [keys: readonly string[], what: string][] = [
    [['N'], said.compose],
    [['/'], said.search],
    [[mod, 'K'], said.palette],
    [['?'], said.help],
    [[words.keys.escape], said.close],
    [[mod, 'B'], said.bold],
    [[mod, 'I'], said.italic],
    [[mod, 'Z'], said.undo],
  ];
  return (
    <Modal opened onClose={close} title={words.help.title} size="lg">
      <Stack gap="lg">
        <section aria-label={words.help.keysTitle}>
          <Title order={3} size="h5" mb="sm">
            {words.help.keysTitle}
          </Title>
          <dl className={classes.keys}>
            {keys.map(([pressed, what]) => (
              <div key={what} style={{ display: 'contents' }}>
                <dt>
                  {pressed.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section aria-label={words.help.answersTitle}>
          <Title order={3} size="h5" mb="sm">
            {words.help.answersTitle}
          </Title>
          {words.help.answers.map(({ question, answer }) => (
            <details key={question} className={classes.answer}>
              <summary>{question}</summary>
              <p>{answer}</p>
            </details>
          ))}
        </section>
        {session && (
          <Text size="sm" c="dimmed">
            {words.product} {session.version}
          </Text>
        )}
      </Stack>
    </Modal>
  );
}
