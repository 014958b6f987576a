/** Help, options and completions, which all derive from the declarations of the commands. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { SHELLS } from '../../src/cli/completion.ts';
import { RENDERERS } from '../../scripts/render-completions.ts';
import { runInProcess as campanile } from '../support/run-command.ts';

const groups = [...new Set(COMMANDS.map(({ name }) => name.split(' ', 1)[0] ?? ''))];

describe.each(COMMANDS)('campanile $name', ({ name, args, options, about }) => {
  const words = name.split(' ');

  test('help and --help show its arguments and options', async () => {
    const { status, text } = await campanile('help', ...words);
    expect(status).toBe(0);
    expect(text).toContain(['Usage: campanile', name, ...args].join(' '));
    expect(text).toContain(about);
    for (const [option, { about: meaning }] of Object.entries(options))
      expect(text).toMatch(new RegExp(`--${option}\\b.* ${meaning.replaceAll(/[().]/g, '.')}`));
    const own = await campanile(...words, '--help');
    expect(own.status).toBe(0);
    expect(text).toContain(own.text);
  });

  test('rejects an unknown option, and suggests the one that was meant', async () => {
    const known = [...Object.keys(options), 'help'];
    for (const option of known.filter((one) => one.length > 3)) {
      const misspelled = `${option.slice(0, -2)}${option.at(-1)}`;
      const { status, text } = await campanile(...words, `--${misspelled}`);
      expect(status).toBe(2);
      expect(text.split('\n', 1)[0]).toBe(`Unknown option --${misspelled}. Did you mean --${option}?`);
    }
    const { status, text } = await campanile(...words, '--quite-another');
    expect(status).toBe(2);
    expect(text).toMatch(/^Unknown option --quite-another\n\nUsage: campanile /);
  });

  test('rejects surplus arguments', async () => {
    const given = [...args.map(() => 'x'), 'surplus'];
    const required = Object.entries(options).flatMap(([option, { required: is }]) => (is ? [`--${option}`] : []));
    const { status, text } = await campanile(...words, ...required, ...given);
    expect(status).toBe(2);
    expect(text).toMatch(/^Unexpected argument "surplus"\n/);
  });
});

test('help, --help and -h show a line for each command', async () => {
  const { status, text } = await campanile('help');
  expect(status).toBe(0);
  for (const { name, args, about } of COMMANDS)
    expect(text).toMatch(
      new RegExp(`^  ${[name, ...args].join(' ').replaceAll(/[[\]]/g, '.')} +${about.replaceAll(/[()]/g, '.')}$`, 'm'),
    );
  expect((await campanile('--help')).text).toBe(text);
  expect((await campanile('-h')).text).toBe(text);
});

test.each(groups)('help %s and %s --help show the commands of that name', async (group) => {
  const named = COMMANDS.filter(({ name }) => name === group || name.startsWith(`${group} `));
  for (const words of [
    ['help', group],
    [group, '--help'],
    [group, '-h'],
  ]) {
    const { status, text } = await campanile(...words);
    expect(status).toBe(0);
    for (const { name } of named) expect(text).toContain(`Usage: campanile ${name}`);
    expect(text.match(/^Usage/gm)).toHaveLength(named.length);
  }
});

test.each([
  [['help', 'usres'], 'Unknown command "usres". Did you mean "users"?'],
  [['users'], 'Expected a subcommand of "users"'],
  [['users', 'lsit'], 'Unknown command "users lsit". Did you mean "users list"?'],
  [['users', 'rename', 'erin'], 'Unknown command "users rename"'],
  [['keys', 'list'], 'Expected NAME'],
  [['keys', 'revoke', 'erin'], 'Expected ID'],
  [['upgrade'], 'Expected --check'],
  [['backup', 'verify'], 'Expected FILE'],
  [['backup', 'x', '--unauthenticated'], 'Unknown option --unauthenticated'],
  [['backup', 'x', '--passphrase-file'], "Option '--passphrase-file <value>' argument missing"],
  [['--version', 'extra'], 'Unexpected argument "extra"'],
  [['version', '--json'], 'Unexpected argument "--json"'],
  [['--help', 'extra'], 'Unexpected argument "extra"'],
  [['-h', 'users'], 'Unexpected argument "users"'],
  [['users', 'list', '-x'], 'Unknown option -x'],
  [['release', '--json', '--send', 'all'], '--json only shows the queue: run the command without it to release'],
  [['completion', 'fish'], 'Expected bash or zsh, but got "fish"'],
])('%j exits with 2 and says: %s', async (words, message) => {
  const { status, text } = await campanile(...words);
  expect({ status, message: text.split('\n', 1)[0] }).toEqual({ status: 2, message });
});

test.for(SHELLS)('the script for %s is that of the commands: npm run docs', async (shell) => {
  expect((await campanile('completion', shell)).text).toBe(RENDERERS[shell](COMMANDS));
});

/** The line to complete, with the last word under the cursor, and some of the words that are offered. */
const LINES: ReadonlyArray<[line: string, offered: string[], others: string[]]> = [
  ['', ['users', 'doctor', '--version'], ['list']],
  ['us', ['users'], ['doctor']],
  ['users ', ['list', 'disable', 'delete'], ['users', 'doctor']],
  ['users list --', ['--json', '--help'], ['--yes']],
  ['users disable erin --', ['--yes', '--help'], ['--json']],
  ['backup ', ['verify'], ['list']],
  ['backup verify mo', ['monday.campanile'], ['doctor']],
  ['restore --passphrase-file mo', ['monday.campanile'], ['--unauthenticated']],
  ['mcp --port ', [], ['--host', 'monday.campanile']],
  ['completion ', ['bash', 'zsh'], ['doctor']],
  ['help ', ['users', 'backup'], ['list']],
];

function folderWithBackup(): string {
  const folder = mkdtempSync(join(tmpdir(), 'campanile-completion-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'monday.campanile'), '');
  return folder;
}

test.each(LINES)('bash completes "campanile %s"', async (line, offered, others) => {
  const { text } = await campanile('completion', 'bash');
  const words = ['campanile', ...line.split(' ')].map((word) => `'${word}'`).join(' ');
  const script = `${text}\nCOMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _campanile; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: folderWithBackup(), encoding: 'utf8' });
  expect(stderr).toBe('');
  const found = stdout.split('\n').filter(Boolean);
  expect(found).toEqual(expect.arrayContaining(offered));
  expect(others.filter((word) => found.includes(word))).toEqual([]);
});

const hasZsh = spawnSync('zsh', ['--version']).status === 0;
test.skipIf(!hasZsh).each(LINES)('zsh, if it is installed, completes "campanile %s"', async (line, offered, others) => {
  const { text } = await campanile('completion', 'zsh');
  const words = ['campanile', ...line.split(' ')].map((word) => `'${word}'`).join(' ');
  // Stands in for the functions of the completion system, which need a terminal.
  const script = `compdef() { : }; _describe() { print -l -- "\${(@P)2%%:*}" }; _files() { print -l -- * }
${text}\nwords=(${words}); CURRENT=\${#words}; _campanile`;
  const { stdout, stderr } = spawnSync('zsh', ['-fc', script], { cwd: folderWithBackup(), encoding: 'utf8' });
  expect(stderr).toBe('');
  const found = stdout.split('\n').filter(Boolean);
  expect(found).toEqual(expect.arrayContaining(offered));
  // The completion system itself leaves out what does not begin as the word under the cursor.
  const prefix = line.split(' ').at(-1) ?? '';
  expect(others.filter((word) => word.startsWith(prefix) && found.includes(word))).toEqual([]);
});
