import { expect, test } from 'vitest';
import { playScene, readShown } from '../../scripts/write-commands-reference.ts';

test('the documents show the current output of each command: npm run docs', async () => {
  const said = await playScene();
  const shown = readShown();
  expect(shown.map(({ command }) => command).toSorted()).toEqual([...said.keys()].toSorted());
  for (const { document, command, text } of shown)
    expect(text, `${document}: "npm run docs" writes it anew`).toBe(said.get(command));
});
