/** Reads imports out of source files and holds them against the table of rooms (docs/explanation/architecture.md). */
import { dirname, join, normalize } from 'node:path';

/**
 * Which rooms a room may import besides itself. What stands directly in `src/` or in `src/cli/` wires the rooms and may import any.
 * `client` stands beside `src/`, since it runs elsewhere.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  config: ['lib'],
  database: ['lib'],
  text: ['lib'],
  secrets: ['config', 'database', 'lib'],
  quotas: ['database', 'lib'],
  media: ['quotas', 'database', 'lib'],
  messenger: ['text', 'media', 'lib'],
  'messenger/sandbox': ['messenger', 'database', 'text', 'media', 'lib'],
  'messenger/whatsapp': ['messenger', 'database', 'text', 'media', 'lib'],
  idempotency: ['database', 'lib'],
  audit: ['database', 'lib'],
  egress: ['lib'],
  events: ['database', 'lib'],
  webhooks: ['events', 'egress', 'audit', 'database', 'lib'],
  mail: ['database', 'lib'],
  notices: ['events', 'egress', 'mail', 'audit', 'database', 'lib'],
  users: ['audit', 'mail', 'quotas', 'database', 'lib'],
  analytics: ['campaigns', 'audit', 'database', 'lib'],
  accounts: ['audit', 'messenger', 'quotas', 'database', 'lib'],
  groups: ['accounts', 'audit', 'idempotency', 'text', 'media', 'quotas', 'database', 'lib'],
  deliveries: ['accounts', 'messenger', 'media', 'database', 'lib'],
  receipts: ['deliveries', 'accounts', 'messenger', 'database', 'lib'],
  erasure: ['accounts', 'messenger', 'database', 'lib'],
  campaigns: [
    'groups',
    'accounts',
    'audit',
    'deliveries',
    'events',
    'idempotency',
    'text',
    'media',
    'quotas',
    'database',
    'lib',
  ],
  backup: ['hold', 'database', 'lib'],
  hold: ['users', 'audit', 'campaigns', 'deliveries', 'accounts', 'messenger', 'database', 'lib'],
  doctor: [
    'users',
    'audit',
    'hold',
    'backup',
    'deliveries',
    'accounts',
    'messenger/whatsapp',
    'secrets',
    'config',
    'database',
    'lib',
  ],
  drafts: ['audit', 'media', 'quotas', 'database', 'lib'],
  client: ['http'],
  'whatsapp-check': ['client', 'lib'],
  mcp: ['client', 'lib'],
  web: ['client', 'http', 'messenger', 'text'],
  http: [
    'users',
    'accounts',
    'audit',
    'idempotency',
    'groups',
    'campaigns',
    'hold',
    'doctor',
    'drafts',
    'events',
    'webhooks',
    'notices',
    'analytics',
    'quotas',
    'text',
    'lib',
    'database',
  ],
};

/** What may be taken from another room only as a type, never as code: the edge knows a database when it sees one, no more. */
const TYPES_ONLY: Readonly<Record<string, readonly string[]>> = { http: ['database'], client: ['http'], web: ['http'] };

/** The only files of other rooms that browsers may come to see: what else is there, is the server's own business. */
const IN_BROWSERS = /^(?:client\/.*|src\/http\/contract\/.*|src\/messenger\/windows|src\/text\/parse-whatsapp)\.ts$/;

export interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

/** All imports between source files, `import type` among them. Paths are relative to the project. */
export function readImports(sources: ReadonlyMap<string, string>): Import[] {
  const pattern =
    /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^;'"]*?(?:from\s+)?['"](\.[^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]/g;
  return [...sources].flatMap(([from, source]) =>
    [...source.matchAll(pattern)].map((match) => ({
      from,
      to: normalize(join(dirname(from), match[2] ?? match[3] ?? '')),
      typeOnly: match[1] !== undefined,
    })),
  );
}

/** The room a file is in: `client`, `web`, the folder below `src/`, the name of a file of its own, or undefined for what wires the rooms. */
export function roomOf(path: string): string | undefined {
  const [top, ...parts] = path.split('/');
  if (top === 'client' || top === 'web') return top;
  if (path.startsWith('src/messengers/') && parts.length > 2) return `messenger/${parts[1]}`;
  if (path.startsWith('src/cli/')) return undefined;
  if (parts.length > 1) return parts[0];
  const name = parts[0]?.replace(/\.ts$/, '') ?? '';
  return name in ROOMS ? name : undefined;
}

/** Every rule of the rooms that these files break, each as a sentence. */
export function findBreaches(sources: ReadonlyMap<string, string>): string[] {
  const imports = readImports(sources);
  return [...findForbidden(imports), ...findCycles(imports), ...findMisplacedWords(sources)];
}

function findForbidden(imports: Import[]): string[] {
  return imports.flatMap(({ from, to, typeOnly }) => {
    const room = roomOf(from);
    if (room === undefined) return [];
    const other = roomOf(to);
    if (other === room) return [];
    if (other === undefined || !ROOMS[room]?.includes(other)) return [`${from} may not import ${to}`];
    if (room === 'web' && !IN_BROWSERS.test(to)) return [`${from} may not import ${to}`];
    if (!typeOnly && TYPES_ONLY[room]?.includes(other)) return [`${from} may import only types from ${to}`];
    if (room === 'client' && !to.startsWith('src/api/contract/')) return [`${from} may not import ${to}`];
    return [];
  });
}

function findCycles(imports: Import[]): string[] {
  const next = Map.groupBy(imports, (one) => one.from);
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: string[]) => {
    const start = path.indexOf(file);
    if (start >= 0) {
      cycles.push(`a cycle: ${[...path.slice(start), file].join(' → ')}`);
      return;
    }
    if (done.has(file)) return;
    for (const { to } of next.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return cycles;
}

interface Word {
  pattern: RegExp;
  what: string;
  allowed: (path: string) => boolean;
}

const inWire = (path: string) =>
  path.startsWith('src/api/contract/') || path.startsWith('src/api/routes/') || path.startsWith('web/api/');

const WORDS: readonly Word[] = [
  { pattern: /wharsapp|_serialized|\/venom\//, what: 'a spelling of the wire', allowed: inWire },
  { pattern: /baileys/i, what: 'Baileys', allowed: (path) => path.startsWith('src/messengers/whatsapp/') },
  {
    pattern: /\bnewsletter/i,
    what: 'the word newsletter',
    allowed: (path) => path.startsWith('src/messengers/') || inWire(path),
  },
  {
    pattern: /process\.env/,
    what: 'the environment',
    allowed: (path) =>
      path === 'src/platform/config/config.ts' ||
      path === 'web/build.ts' ||
      path.startsWith('src/platform/database/embedded'),
  },
  {
    pattern: /^import (?!type\b)[^;]*? from '[^.]|\bimport\('[^.]|\bnode:|\b(process|Buffer)\./m,
    what: 'what a browser has not got',
    allowed: (path) => !path.startsWith('client/'),
  },
  {
    pattern: /`\s*(select|insert|update|delete|with)\s/i,
    what: 'SQL',
    allowed: (path) => !path.startsWith('src/http/'),
  },
];

function findMisplacedWords(sources: ReadonlyMap<string, string>): string[] {
  return [...sources].flatMap(([path, source]) =>
    WORDS.filter(({ pattern, allowed }) => !allowed(path) && pattern.test(source)).map(
      ({ what }) => `${path} names ${what}`,
    ),
  );
}
