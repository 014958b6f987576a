/** All statements that run in a database, with their plans, and the source that each comes from. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { DatabaseClient } from '../../src/platform/database/connect.ts';
import type { TestDatabase } from './database.ts';
import { readExplained, type Explained, type PlanNode } from './explain-statements.ts';

export interface Tracing {
  /** Statements in the order of their ends. Grows while clients are connected. */
  statements: readonly Explained[];
  stop(): void;
}

/** Lets PostgreSQL explain every statement of later connections to this database, by clients of this process, also of statements in functions. */
export async function traceStatements({ db, address }: TestDatabase): Promise<Tracing> {
  if ('url' in address) throw new Error('tests need a server on a Unix socket');
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
  };
  for (const [name, value] of Object.entries(settings))
    await sql`alter database ${sql.id(address.database)} set ${sql.raw(name)} = ${sql.lit(value)}`.execute(db);
  const statements: Explained[] = [];
  // Pools of the service make their clients themselves, so all clients are heard.
  const { emit } = DatabaseClient.prototype;
  DatabaseClient.prototype.emit = function hear(event: string | symbol, ...values: unknown[]) {
    const [notice] = values as [{ message?: string } | undefined];
    const explained = event === 'notice' ? readExplained(notice?.message) : undefined;
    if (explained) statements.push(explained);
    return emit.call(this, event, ...values);
  };
  return {
    statements,
    stop() {
      DatabaseClient.prototype.emit = emit;
    },
  };
}

/** How many rows a statement returned or wrote. */
export function rowsReturnedBy(plan: PlanNode): number {
  return plan['Actual Rows'] * plan['Actual Loops'] + rowsWrittenBy(plan);
}

function rowsWrittenBy({ 'Node Type': type, Plans: plans = [] }: PlanNode): number {
  const written =
    type === 'ModifyTable' || type === 'LockRows'
      ? plans.reduce((sum, plan) => sum + plan['Actual Rows'] * plan['Actual Loops'], 0)
      : 0;
  return plans.reduce((sum, plan) => sum + rowsWrittenBy(plan), written);
}

/** A statement as it stands in a source file. */
export interface Source {
  file: string;
  line: number;
  /** Its texts between parameters, with single spaces. */
  texts: readonly string[];
  /** It is executed where it stands; else it is a part of statements. */
  isWhole: boolean;
}

/** A template of so few characters may be in any statement. */
const FEW_CHARACTERS = 40;

const START = /\b(?:sql|(readRows?|readColumn|readValue|hasRow|execute))(?:<[^`]*?>)?(?:\([\w.]+\))?`/g;

/** Returns the statements, and the longer parts of statements, in source files below a folder of `src`. */
export function findSources(folder: string): Source[] {
  const root = join(import.meta.dirname, '../../src');
  return globSync(`${folder}/**/*.ts`, { cwd: root }).flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    return source
      .matchAll(START)
      .map(({ index, 0: start, 1: tag }) => ({ tag, ...readTemplate(source, index + start.length) }))
      .map(({ tag, texts, end }) => ({
        file,
        line: source.slice(0, end).split('\n').length,
        texts: texts.map(normalize).filter((text) => text !== ''),
        isWhole: tag !== undefined || /^\s*\.execute\(/.test(source.slice(end, end + 100)),
      }))
      .filter(({ texts }) => texts.join('').length > FEW_CHARACTERS)
      .toArray();
  });
}

/** Whether a statement, with single spaces, comes from this place. */
export function isFrom({ texts }: Source, statement: string): boolean {
  let at = 0;
  return texts.every((text) => {
    const found = statement.indexOf(text, at);
    at = found + text.length;
    return found >= 0;
  });
}

/** Reads a template literal from behind its first backtick. */
function readTemplate(source: string, from: number): { texts: string[]; end: number } {
  const texts: string[] = [];
  let text = '';
  for (let at = from; at < source.length; at++) {
    if (source[at] === '`') return { texts: [...texts, text], end: at + 1 };
    if (source.startsWith('${', at)) {
      texts.push(text);
      text = '';
      at = endOfParameter(source, at + 2);
    } else text += source[at] ?? '';
  }
  throw new Error('a template does not end');
}

/** The place of the brace that ends a parameter. */
function endOfParameter(source: string, from: number): number {
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    if (source[at] === '`') at = readTemplate(source, at + 1).end - 1;
    else if (source[at] === '{') depth++;
    else if (source[at] === '}' && depth-- === 0) return at;
  }
  throw new Error('a parameter does not end');
}

export const normalize = (text: string): string => text.replace(/\s+/g, ' ').trim();
