/** The commands of the command line. The modules of a command are loaded on first use, so that the service loads only its own. */
import { command, type Command } from './command.ts';

const JSON_FLAG = { json: { about: 'Print JSON.' } };
const YES_FLAG = (about: string) => ({ yes: { about } });
const PASSPHRASE = {
  'passphrase-file': { value: 'FILE', about: 'The file with the passphrase that authenticates the backup.' },
};
const UNAUTHENTICATED = { unauthenticated: { about: 'Accept a backup that cannot be authenticated.' } };

const userCommands: readonly Command[] = [
  command({
    name: 'users list',
    args: ['[SEARCH]'],
    options: JSON_FLAG,
    about: 'List up to 1,000 users, newest first.',
    run: async (given) => (await import('./users.ts')).listUsers(given),
  }),
  command({
    name: 'users create',
    args: ['NAME', 'E-MAIL', 'NUMBER'],
    about: 'Create a user, and show the password once.',
    run: async (given) => (await import('./users.ts')).createNamedUser(given),
  }),
  command({
    name: 'users invite',
    args: ['E-MAIL'],
    about: 'Invite a person; without mail, print the link.',
    run: async (given) => (await import('./invite-user.ts')).inviteUser(given),
  }),
  command({
    name: 'users disable',
    args: ['NAME'],
    options: YES_FLAG('Disable the user even if it is the last administrator.'),
    about: 'Sign a user out everywhere, and stop sending for the workspaces that the user owns.',
    run: async (given) => (await import('./users.ts')).disableUser(given),
  }),
  command({
    name: 'users enable',
    args: ['NAME'],
    about: 'Let a disabled user sign in again, and the posts of the workspaces leave.',
    run: async (given) => (await import('./users.ts')).enableUser(given),
  }),
  command({
    name: 'users reset-password',
    args: ['NAME'],
    about: 'Set a new password and show it once; revoke all sessions and API keys.',
    run: async (given) => (await import('./users.ts')).resetPassword(given),
  }),
  command({
    name: 'users reset-factor',
    args: ['NAME'],
    about: 'Remove the second factors of a user.',
    run: async (given) => (await import('./users.ts')).resetFactor(given),
  }),
  command({
    name: 'users make-admin',
    args: ['NAME'],
    about: 'Make a user an administrator.',
    run: async (given) => (await import('./users.ts')).makeAdministrator(given),
  }),
  command({
    name: 'users hand-over',
    args: ['NAME', 'MEMBER'],
    about: "Make a member the owner of the user's workspaces that both belong to.",
    run: async (given) => (await import('./users.ts')).handOver(given),
  }),
  command({
    name: 'users delete',
    args: ['NAME'],
    options: {
      ...YES_FLAG('Confirm the deletion.'),
      'with-shared-workspaces': { about: 'Also delete workspaces of the user that have other members.' },
    },
    about: 'Delete a user and everything in the workspace, permanently.',
    run: async (given) => (await import('./users.ts')).deleteUser(given),
  }),
];

const dataCommands: readonly Command[] = [
  command({
    name: 'keys list',
    args: ['NAME'],
    options: JSON_FLAG,
    about: 'List the API keys of a user.',
    run: async (given) => (await import('./keys.ts')).listKeys(given),
  }),
  command({
    name: 'keys revoke',
    args: ['NAME', 'ID'],
    about: 'Revoke an API key of a user.',
    run: async (given) => (await import('./keys.ts')).revokeKey(given),
  }),
  command({
    name: 'secrets rotate',
    about: 'Create a new token secret without ending sessions.',
    run: async (given) => (await import('./secrets.ts')).rotateSecret(given),
  }),
  command({
    name: 'secrets give-up',
    options: YES_FLAG('Delete the data that no configured encryption key opens.'),
    about: 'Show the data that a lost encryption key has sealed.',
    run: async (given) => (await import('./secrets.ts')).giveUpSecrets(given),
  }),
  command({
    name: 'accounts list',
    options: JSON_FLAG,
    about: 'List up to 1,000 linked accounts, those that need attention first.',
    run: async (given) => (await import('./accounts.ts')).listAccounts(given),
  }),
  command({
    name: 'accounts release',
    args: ['NAME'],
    about: 'Resume the stopped accounts of a user.',
    run: async (given) => (await import('./accounts.ts')).releaseAccount(given),
  }),
  command({
    name: 'backup',
    args: ['FILE'],
    options: PASSPHRASE,
    about: 'Write a backup while the service runs.',
    run: async (given) => (await import('./backup.ts')).backup(given),
  }),
  command({
    name: 'backup verify',
    args: ['FILE'],
    options: { ...PASSPHRASE, ...UNAUTHENTICATED },
    about: 'Authenticate a backup, restore it temporarily and count its rows.',
    run: async (given) => (await import('./backup.ts')).verify(given),
  }),
  command({
    name: 'restore',
    args: ['FILE'],
    options: { ...PASSPHRASE, ...UNAUTHENTICATED },
    about: 'Restore a backup into an empty DATA_DIR. The ledger stays held until you run "campanile release".',
    run: async (given) => (await import('./backup.ts')).restore(given),
  }),
  command({
    name: 'release',
    options: {
      send: { value: 'ID|all', multiple: true, about: 'Send the queued posts of this campaign.' },
      unknown: { value: 'ID|all', multiple: true, about: 'Do not send them: their outcome is unknown.' },
      json: { about: 'Print the queue as JSON.' },
    },
    about: 'Show the queue of a held ledger. With a choice for each campaign, resume sending.',
    run: async (given) => (await import('./release.ts')).release(given),
  }),
];

/** In the order of the help text. */
export const COMMANDS: readonly Command[] = [
  command({
    name: 'serve',
    about: 'Run the service. This is the default.',
    run: async (given) => (await import('./serve.ts')).serve(given),
  }),
  command({
    name: 'doctor',
    options: JSON_FLAG,
    about: 'Check the installation and suggest a remedy for each problem. Exits with 1 if a check fails.',
    run: async (given) => (await import('./doctor.ts')).doctor(given),
  }),
  command({
    name: 'upgrade',
    options: {
      check: { required: true, about: 'Report only. The service upgrades the database when it starts.' },
      ...JSON_FLAG,
    },
    about:
      'Report what the next start changes in the database. Exits with 0: no changes, 3: pending migrations, 1: the start would fail.',
    run: async (given) => (await import('./upgrade.ts')).upgrade(given),
  }),
  ...userCommands,
  ...dataCommands,
  command({
    name: 'mcp',
    options: {
      'key-file': { value: 'FILE', about: 'Serve over stdio, with the API key in this file.' },
      port: { value: 'PORT', about: 'Serve over HTTP on this port, with an API key in each request.' },
      host: { value: 'HOST', default: '127.0.0.1', about: 'The address to listen on.' },
      url: { value: 'URL', default: 'http://127.0.0.1:3000', about: 'The address of the service.' },
      'allow-origin': { value: 'URL', multiple: true, about: 'An origin whose pages may send requests.' },
    },
    about: 'Serve MCP tools for language models.',
    run: async (given) => (await import('./mcp.ts')).mcp(given),
  }),
  command({
    name: 'completion',
    args: ['SHELL'],
    about: 'Print the completions for bash or zsh.',
    run: async (given) => (await import('./completion.ts')).completion(given),
  }),
  command({
    name: 'help',
    args: ['[COMMAND]', '[SUBCOMMAND]'],
    about: 'Show the usage of all commands, or of one.',
    run: async (given) => (await import('./help.ts')).help(given, COMMANDS),
  }),
];
