/** A sheet of many groups is imported in parts, so that nobody waits for it, and a cut loses nothing. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { readCount, readRows, type Database } from '../../../src/platform/database/statements.ts';
import { setFields } from '../../../src/sending/groups/fields/fields.ts';
import { importGroupFields } from '../../../src/sending/groups/fields/import-fields.ts';
import { useTestApp } from '../../support/app.ts';
import { createOwner } from '../../support/ledger.ts';

const app = await useTestApp({ sandboxSpeed: 0 });
const { db } = app.database;

/** The database, with something to do before each transaction. */
function watched(before: (transaction: number) => Promise<void> | void): Database {
  let transactions = 0;
  const transaction = () => ({
    execute: async (act: never) => {
      await before(++transactions);
      return db.transaction().execute(act);
    },
  });
  return new Proxy(db, {
    get(of, key) {
      const part: unknown = key === 'transaction' ? transaction : Reflect.get(of, key);
      return typeof part === 'function' ? (part.bind(of) as unknown) : part;
    },
  });
}

async function createSheet(groups: number) {
  const owner = await createOwner(db, groups);
  const [field] = await setFields({ db }, owner, { fields: [{ name: 'City' }], remove: [] });
  const input = (value: string) => ({
    bytes: Buffer.from(`Group,City\n${owner.groupIds.map((id) => `${id},${value} ${id}`).join('\n')}\n`),
    isDryRun: false,
    skipsRefused: false,
  });
  const written = () => readCount(db)`select count(*) from group_values where workspace_id = ${owner.workspaceId}`;
  return { owner, input, written, fieldId: field?.fieldId ?? 0 };
}

test('2,500 groups are three transactions; one that is cut off is finished by a repeat', async () => {
  const { owner, input, written } = await createSheet(2_500);
  const key = {
    workspaceId: owner.workspaceId,
    key: 'import',
    operation: 'import-group-fields',
    bodyHash: randomBytes(32),
    arrivedMs: Date.now(),
  };
  const cut = watched((transaction) => {
    if (transaction === 3) throw new Error('cut off');
  });
  await expect(importGroupFields({ db: cut }, owner, input('a'), key)).rejects.toThrow('cut off');
  expect(await written()).toBe(2_000);
  const sizes: number[] = [];
  const counting = watched(async () => void sizes.push(await written()));
  const report = await importGroupFields({ db: counting }, owner, input('a'), key);
  expect(report).toMatchObject({ added: 500, unchanged: 2_000 });
  expect(sizes).toEqual([2_000, 2_000, 2_000]);
  expect(await importGroupFields({ db }, owner, input('a'), key)).toEqual(report);
  const values = await readRows<{ id: number; value: string }>(db)`
    select group_id as id, v.value from group_values, jsonb_each_text(field_values) v
    where workspace_id = ${owner.workspaceId}`;
  expect(values.filter(({ id, value }) => value !== `a ${id}`)).toEqual([]);
  const before: number[] = [];
  await importGroupFields({ db: watched(async () => void before.push(await changedTo('b'))) }, owner, input('b'));
  expect(before).toEqual([0, 1_000, 2_000]);

  function changedTo(value: string) {
    return readCount(db)`
      select count(*) from group_values, jsonb_each_text(field_values) v
      where workspace_id = ${owner.workspaceId} and v.value like ${`${value} %`}`;
  }
});

test('a field that is removed meanwhile gets no values', async () => {
  const { owner, input, written, fieldId } = await createSheet(1_500);
  const changing = watched(async (transaction) => {
    if (transaction === 2) await setFields({ db }, owner, { fields: [], remove: [fieldId] });
  });
  await expect(importGroupFields({ db: changing }, owner, input('a'))).rejects.toMatchObject({
    details: [{ field: 'file', code: 'fields_changed' }],
  });
  expect(await written()).toBe(0);
});
