/** Renders the scripts that `campanile completion` prints: `npm run docs` writes them. */
import { writeFileSync } from 'node:fs';
import type { Command } from '../src/cli/command.ts';
import { COMMANDS } from '../src/cli/commands.ts';
import { completionFile, SHELLS, type CompletedShell } from '../src/cli/completion.ts';

/** What can follow the words of a command or of a group of commands. */
interface Completions {
  /** The words before: `` for none, `users`, `users list`. */
  path: string;
  words: ReadonlyArray<{ word: string; about: string }>;
  takesFile: boolean;
}

const HELP = { word: '--help', about: 'Show the usage.' };
const VERSION = { word: '--version', about: 'Show the version.' };

export const RENDERERS: Readonly<Record<CompletedShell, (commands: readonly Command[]) => string>> = {
  bash: completeBash,
  zsh: completeZsh,
};

function listCompletions(commands: readonly Command[]): Completions[] {
  const groups = commands.flatMap(({ name }) => (name.includes(' ') ? [name.split(' ', 1)[0] ?? ''] : []));
  const paths = ['', ...new Set([...groups, ...commands.map(({ name }) => name)])];
  return paths.map((path) => {
    const own = commands.find(({ name }) => name === path);
    const prefix = path === '' ? '' : `${path} `;
    const children = commands.filter(({ name }) => name !== path && name.startsWith(prefix));
    const next = new Map(
      children.map(({ name, about }) => {
        const [word = '', rest] = name.slice(prefix.length).split(' ');
        return [word, rest === undefined ? about : `Commands for ${word}.`] as const;
      }),
    );
    const options = Object.entries(own?.options ?? {}).map(([name, { about }]) => ({ word: `--${name}`, about }));
    const given = own?.args[0] === 'SHELL' ? SHELLS.map((word) => ({ word, about: 'A shell.' })) : [];
    const named = own?.name === 'help' ? topLevel(commands) : [];
    return {
      path,
      words: [
        ...[...next].map(([word, about]) => ({ word, about })),
        ...given,
        ...named,
        ...options,
        HELP,
        ...(path === '' ? [VERSION] : []),
      ],
      takesFile: own?.args.includes('FILE') ?? false,
    };
  });
}

function topLevel(commands: readonly Command[]): Array<{ word: string; about: string }> {
  const words = new Set(commands.map(({ name }) => name.split(' ', 1)[0] ?? ''));
  return [...words].map((word) => ({ word, about: `The usage of ${word}.` }));
}

/** The options with a value: those whose value is a file, and all others. */
function listValued(commands: readonly Command[]): { files: string[]; others: string[] } {
  const valued = commands.flatMap(({ options }) =>
    Object.entries(options).filter(([, { value }]) => value !== undefined),
  );
  const named = (isFile: boolean) => [
    ...new Set(valued.filter(([, { value }]) => (value === 'FILE') === isFile).map(([name]) => `--${name}`)),
  ];
  return { files: named(true), others: named(false) };
}

/** The words of a path as the patterns of `case`: how far the line has come. */
function pathCases(all: readonly Completions[]): string {
  return all
    .filter(({ path }) => path !== '')
    .map(({ path }) => `"${path}"`)
    .join('|');
}

function completeBash(commands: readonly Command[]): string {
  const all = listCompletions(commands);
  const { files, others } = listValued(commands);
  const cases = all.map(({ path, words, takesFile }) => {
    const offered = words.map(({ word }) => word).join(' ');
    return `    "${path}") words="${offered}"${takesFile ? ' files=yes' : ''} ;;`;
  });
  return `# Completions of campanile for bash: source <(campanile completion bash)
_campanile() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local path="" next words="" files="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${path:+$path }\${COMP_WORDS[i]}"
    case "$next" in
      ${pathCases(all)}) path="$next" ;;
    esac
  done
  COMPREPLY=()
  case "$previous" in
    ${files.join('|')}) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ${others.join('|')}) return ;;
  esac
  case "$path" in
${cases.join('\n')}
  esac
  # Not for words alone: a folder of the name of a command would get a slash.
  [[ -z "$files" ]] || compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; [[ -z "$files" || "$current" == -* ]] || compgen -f -- "$current")
}
complete -F _campanile campanile
`;
}

function completeZsh(commands: readonly Command[]): string {
  const all = listCompletions(commands);
  const { files, others } = listValued(commands);
  const cases = all.map(({ path, words, takesFile }) => {
    const offered = words.map(({ word, about }) => quote(`${word}:${about}`)).join(' ');
    return `    "${path}") offered=(${offered})${takesFile ? '; files=yes' : ''} ;;`;
  });
  return `#compdef campanile
# Completions of campanile for zsh: source <(campanile completion zsh)
_campanile() {
  local path="" next files="" i
  local -a offered
  for ((i = 2; i < CURRENT; i++)); do
    next="\${path:+$path }\${words[i]}"
    case "$next" in
      ${pathCases(all)}) path="$next" ;;
    esac
  done
  case "\${words[CURRENT-1]}" in
    ${files.join('|')}) _files; return ;;
    ${others.join('|')}) return ;;
  esac
  case "$path" in
${cases.join('\n')}
  esac
  _describe campanile offered
  [[ -z "$files" ]] || _files
}
compdef _campanile campanile
`;
}

/** In single quotes for the shell. */
const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

if (import.meta.main) for (const shell of SHELLS) writeFileSync(completionFile(shell), RENDERERS[shell](COMMANDS));
