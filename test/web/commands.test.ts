/** Typed commands on campaigns, and the modifier key. */
import { expect, test } from 'vitest';
import { commandKey } from '../../web/format/command-key.ts';
import { commandsFor, parseCommand } from '../../web/shell/commands.ts';

test.each([
  ['pause Spring fair', 'pause', 'Spring fair'],
  ['  Pause   spring ', 'pause', 'spring'],
  ['spring fair pause', 'pause', 'spring fair'],
  ['Retry Fair', 'retry', 'Fair'],
  ['pause', undefined, 'pause'],
  ['pauses for breath', undefined, 'pauses for breath'],
  ['', undefined, ''],
])('parses a command at the start or the end of the text: %j', (typed, command, rest) => {
  expect(parseCommand(typed)).toEqual({ command, rest });
});

test.each([
  ['running', true, 0, ['pause', 'change', 'cancel']],
  ['running', false, 2, ['pause', 'retry', 'cancel']],
  ['scheduled', true, 0, ['pause', 'change', 'cancel']],
  ['paused', true, 0, ['resume', 'change', 'cancel']],
  ['completed', false, 0, []],
  ['completed_with_errors', false, 3, ['retry']],
  ['cancelled', true, 0, []],
] as const)('offers only the commands that the state allows: %s', (status, is_schedule, failed, commands) => {
  expect(commandsFor({ status, is_schedule, progress: { failed } })).toEqual(commands);
});

test('names the modifier key of the platform', () => {
  expect(['MacIntel', 'iPhone', 'iPad', 'Win32', 'Linux x86_64'].map((platform) => commandKey(platform))).toEqual([
    '⌘',
    '⌘',
    '⌘',
    'Ctrl',
    'Ctrl',
  ]);
});
