/** Values of groups from sheets and into them: hostile files are refused with a sentence, and nothing is half done (contract §4). */
import { strToU8, zipSync } from 'fflate';
import { beforeEach, describe, expect, test } from 'vitest';
import { execute, readColumn } from '../../../src/platform/database/statements.ts';
import { groupsOf, useTestApp, type Person } from '../../support/app.ts';

interface Report {
  applied: boolean;
  rows: number;
  added: number;
  changed: number;
  cleared: number;
  unchanged: number;
  changes: Array<{ row: number; group_name: string; field: string; before: string | null; after: string | null }>;
  refused: Array<{ row: number; column: string | null; code: string; issue: string }>;
  unknown: object[];
  ambiguous: object[];
  ignored_columns: string[];
}

const app = await useTestApp({ sandboxSpeed: 0 });
const [alice, bob] = [await app.signUp('alice'), await app.signUp('bob')];
const [[first = 0, second = 0, third = 0], [foreign = 0]] = [await groupsOf(alice), await groupsOf(bob)];
const NAMES = ['Choir', 'Chess', 'Parents'];

beforeEach(async () => {
  const { db } = app.database;
  await execute(db)`delete from fields`;
  await execute(db)`delete from group_values`;
  for (const [index, id] of [first, second, third].entries())
    await execute(db)`update groups set name = ${NAMES[index]} where group_id = ${id}`;
  const fields = [{ name: 'City' }, { name: 'Size', kind: 'number' }, { name: 'Meets on', kind: 'date' }];
  await alice.call('venom/set-fields', { fields });
});

const send = (file: string | Uint8Array, options: object = {}, person: Person = alice) =>
  person.call<Report>('venom/import-group-fields', { file: Buffer.from(file).toString('base64'), ...options });
async function run(file: string | Uint8Array, options: object = {}) {
  const { status, body } = await send(file, options);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
}
const dryRun = (file: string | Uint8Array) => run(file, { dry_run: true });

async function valuesOf() {
  const { body } = await alice.call<{ groups: Array<{ fields: object }> }>('venom/list-groups', { with_fields: true });
  return body.data.groups.map(({ fields }) => fields);
}

const TYPE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
/** An XLSX file with the rows of one sheet, as XML. */
function book(
  rows: string,
  { is1904 = false, after = '', strings = '', more = {} as Record<string, Uint8Array> } = {},
) {
  const xml = (text: string) => strToU8(`<?xml version="1.0" encoding="UTF-8"?>${text}`);
  return zipSync({
    'xl/workbook.xml': xml(
      `<workbook xmlns:r="${TYPE}"><workbookPr date1904="${is1904 ? 1 : 0}"/><sheets><sheet name="A" sheetId="7" r:id="rId3"/><sheet name="B" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': xml(
      `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId3" Target="/xl/worksheets/sheet9.xml"/></Relationships>`,
    ),
    'xl/styles.xml': xml(
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="00000"/><numFmt numFmtId="165" formatCode="[Red]d/m/yy"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>',
    ),
    'xl/sharedStrings.xml': xml(`<sst>${strings}</sst>`),
    'xl/worksheets/sheet1.xml': xml('<worksheet><sheetData/></worksheet>'),
    'xl/worksheets/sheet9.xml': xml(`<worksheet><sheetData>${rows}</sheetData>${after}</worksheet>`),
    ...more,
  });
}
const text = (at: string, value: string) => `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;
const head = `<row r="1">${text('A1', 'Group')}${text('B1', 'City')}${text('C1', 'Size')}${text('D1', 'Meets on')}</row>`;

test('a dry run tells what would change, and changes nothing', async () => {
  await alice.call('venom/set-group-fields', {
    groups: [
      { group_metadata_id: first, fields: { City: 'Pune', Size: '1' } },
      { group_metadata_id: second, fields: { City: 'Goa' } },
    ],
  });
  const before = await valuesOf();
  const csv = 'Group,city,Size,Notes\nCHOIR,Pune,2,x\nChess,,7,\nNobody,a,1,\n,b,2,\nParents,c,many,\nchoir,d,3,\n';
  expect(await dryRun(csv)).toMatchObject({
    applied: false,
    rows: 6,
    added: 1,
    changed: 1,
    cleared: 1,
    unchanged: 1,
    changes: [
      { row: 2, group_name: 'Choir', field: 'Size', before: '1', after: '2' },
      { row: 3, group_name: 'Chess', field: 'City', before: 'Goa', after: null },
      { row: 3, group_name: 'Chess', field: 'Size', before: null, after: '7' },
    ],
    unknown: [{ row: 4, text: 'Nobody' }],
    refused: [
      { row: 5, column: null, code: 'sheet_no_group' },
      { row: 6, column: 'Size', code: 'field_number' },
      { row: 7, column: null, code: 'sheet_group_twice', params: { row: 2 } },
    ],
    ambiguous: [],
    ignored_columns: ['Notes'],
  });
  expect(await valuesOf()).toEqual(before);
});

test.each([
  ['half a character', book(`${head}<row r="2">${text('A2', 'Choir')}${text('B2', 'x&#xD800;y')}</row>`)],
  ['the character 0', book(`${head}<row r="2">${text('A2', 'Choir')}${text('B2', 'x&#0;y')}</row>`)],
  ['a text that is not there', book(`${head}<row r="2">${text('A2', 'Choir')}<c r="B2" t="s"><v>7</v></c></row>`)],
  ['UTF-8 with a mark and half a character', Buffer.from('\ufeffGroup,City\nChoir,Z\u00fc', 'utf8').subarray(0, -1)],
  ['UTF-16 with half a character', Buffer.from('\ufeffGroup,City\nChoir,\ud800x', 'utf16le')],
])('a damaged file with %s is refused, and changes nothing', async (_what, file) => {
  await alice.call('venom/set-group-fields', { groups: [{ group_metadata_id: first, fields: { City: 'Pune' } }] });
  for (const options of [{ dry_run: true }, {}]) {
    const { status, body } = await send(file, options);
    expect([status, body.details]).toMatchObject([400, [{ code: 'sheet_unreadable' }]]);
  }
  expect((await valuesOf())[0]).toEqual({ City: 'Pune' });
});

test('a formula without a text empties its cell, and characters that Excel writes as codes are read', async () => {
  const cells = `${text('A2', 'Choir')}<c r="B2" t="str"><f>""</f><v></v></c>`;
  const coded = `${text('A3', 'Chess')}${text('B3', 'a_x000D_ b_x005F_x0041_')}`;
  const report = await dryRun(book(`${head}<row r="2">${cells}</row><row r="3">${coded}</row>`));
  expect(report).toMatchObject({ refused: [], changes: [{ field: 'City', after: 'a b_x0041_' }] });
});

test('imports all rows or none, unless it may leave some out', async () => {
  const csv = 'Group;City\nChoir;Pune\nNobody;Goa\n';
  const refused = await send(csv);
  expect(refused.status).toBe(400);
  expect(refused.body.message).toContain('1 of the rows cannot be imported, so none was');
  expect(refused.body.details).toMatchObject([{ field: 'file.3', code: 'sheet_unknown_group' }]);
  expect(await valuesOf()).toEqual([{}, {}, {}]);
  expect(await run(csv, { skip_refused: true })).toMatchObject({ applied: true, added: 1, unknown: [{ row: 3 }] });
  expect(await valuesOf()).toEqual([{ City: 'Pune' }, {}, {}]);
});

test('finds groups by id, id of WhatsApp and name, and says which names are of several', async () => {
  await execute(app.database.db)`update groups set name = 'chess' where group_id = ${third}`;
  const [chat] = await readColumn(app.database.db)`select chat_id from groups where group_id = ${second}`;
  const csv = `id,City\n${first},a\n${String(chat)},b\nCHESS,c\n${foreign},d\n`;
  expect(await dryRun(csv)).toMatchObject({
    added: 2,
    ambiguous: [
      { row: 4, text: 'CHESS', count: 2, groups: [{ group_metadata_id: second }, { group_metadata_id: third }] },
    ],
    unknown: [{ row: 5 }],
  });
});

describe('CSV', () => {
  const sheet = 'Group,City,Size\nChoir,Köln,"1,5"\n';
  const KOELN = { City: 'Köln', Size: '1,5' };
  test.each<[string, string | Uint8Array]>([
    ['UTF-8', sheet],
    ['a byte order mark', `\ufeff${sheet}`],
    ['Latin-1', Buffer.from(sheet, 'latin1')],
    [
      'UTF-16, as Excel writes Unicode text',
      Buffer.from(`\ufeff${sheet.replaceAll(/,(?![^"]*"\n)/g, '\t')}`, 'utf16le'),
    ],
    ['semicolons and decimal commas', 'Group;City;Size\r\nChoir;Köln;1,5\r\n'],
    ['a hint at the separator', 'sep=;\r\nGroup;City;Size\r\nChoir;Köln;1,5\r\n'],
    ['old line ends of a Mac', 'Group;City;Size\rChoir;Köln;1,5\r'],
    ['very many empty rows', `${sheet}${',,\n'.repeat(50_000)}`],
  ])('with %s', async (_, file) => {
    await run(file);
    expect((await valuesOf())[0]).toEqual(KOELN);
  });

  test('a cell with line breaks in quotes is one line, and rows keep their numbers', async () => {
    const report = await dryRun('Group,City\nChoir,"a\r\nb ""c"""\nNobody,d\n');
    expect(report.changes).toMatchObject([{ row: 2, after: 'a b "c"' }]);
    expect(report.unknown).toEqual([{ row: 3, text: 'Nobody' }]);
  });

  test('a row with more or fewer cells than the first is refused', async () => {
    expect((await dryRun('Group,City,Size\nChoir,a,1,5\nChess,b\nParents,c,1,\n')).refused).toMatchObject([
      { row: 2, code: 'sheet_row_long' },
      { row: 3, code: 'sheet_row_short' },
    ]);
  });

  test('formulas are text in both directions', async () => {
    const cells = ['=1+1', '+49 151', '-', '@a', '\t=x', 'a;=b', "'x"];
    for (const cell of cells) {
      const csv = `Group,City\nChoir,"${cell}"\n`;
      await run(csv);
      const [value] = await valuesOf();
      const exported = await fetch(`${app.url}/api/v1/venom/export-group-fields`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}` },
        body: JSON.stringify({ format: 'csv' }),
      });
      const file = await exported.text();
      expect(file).not.toMatch(/(?:^|[,;\t\n"])\s*[=+@-]\S/m);
      expect(await run(file), cell).toMatchObject({ added: 0, changed: 0, cleared: 0 });
      expect((await valuesOf())[0]).toEqual(value);
    }
  });

  test.each(["'=1", "''+1", "a;'=b", "a;''@b", "'", "'' =x", "';=a"])(
    '%s is the same after export and import',
    async (City) => {
      const groups = [{ group_metadata_id: first, fields: { City } }];
      expect((await alice.call('venom/set-group-fields', { groups })).status).toBe(200);
      const exported = await fetch(`${app.url}/api/v1/venom/export-group-fields`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}` },
        body: JSON.stringify({ format: 'csv' }),
      });
      expect(await run(await exported.text())).toMatchObject({ added: 0, changed: 0, cleared: 0 });
      expect((await valuesOf())[0]).toEqual({ City });
    },
  );
});

describe('XLSX', () => {
  test('reads texts, numbers, dates and zip codes as a spreadsheet shows them', async () => {
    const strings = '<si><t>Old </t><rPh><t>x</t></rPh><r><t>town</t></r></si>';
    const rows = `<row r="2">${text('A2', 'Choir')}<c r="B2" t="s"><v>0</v></c><c r="C2"><v>0.30000000000000004</v></c><c r="D2" s="1"><v>45000</v></c></row>
      <row r="3" hidden="1">${text('A3', 'Chess')}<c r="B3" s="2"><v>1067</v></c><c r="C3"><v>4915112345678</v></c><c r="D3" s="3"><v>59</v></c></row>
      <row r="9">${text('A9', 'Parents')}<c r="B9" t="str"><f>"a"&amp;"b"</f><v>a&amp;b</v></c></row>`;
    expect(await run(book(head + rows, { strings }))).toMatchObject({ added: 7 });
    expect(await valuesOf()).toEqual([
      { City: 'Old town', Size: '0.3', 'Meets on': '2023-03-15' },
      { City: '01067', Size: '4915112345678', 'Meets on': '1900-02-28' },
      { City: 'a&b' },
    ]);
  });

  test('reads dates of the 1904 system', async () => {
    const row = `<row r="2">${text('A2', 'Choir')}<c r="D2" s="1"><v>0</v></c></row>`;
    await run(book(head + row, { is1904: true }));
    expect((await valuesOf())[0]).toEqual({ 'Meets on': '1904-01-01' });
  });

  test('refuses rows with merged cells, errors, and formulas without a result', async () => {
    const rows = `<row r="2">${text('A2', 'Choir')}${text('B2', 'Pune')}</row><row r="3">${text('A3', 'Chess')}</row>
      <row r="4">${text('A4', 'Parents')}<c r="B4" t="e"><f>1/0</f><v>#DIV/0!</v></c></row>
      <row r="5">${text('A5', 'Nobody')}<c r="B5"><f>A1</f></c></row>`;
    const after = '<mergeCells count="1"><mergeCell ref="B2:B3"/></mergeCells>';
    expect((await dryRun(book(head + rows, { after }))).refused.map(({ row, code }) => [row, code])).toEqual([
      [2, 'sheet_merged'],
      [3, 'sheet_merged'],
      [4, 'sheet_formula'],
      [5, 'sheet_formula'],
    ]);
  });

  test('takes 200,000 empty rows and cells far out', async () => {
    const empty = Array.from({ length: 200_000 }, (_, index) => `<row r="${index + 3}" s="1"/>`).join('');
    const row = `<row r="2">${text('A2', 'Choir')}${text('B2', 'Pune')}<c r="XFD2" s="1"/></row>`;
    expect(await dryRun(book(head + row + empty))).toMatchObject({ rows: 1, added: 1 });
  });
});

describe('refuses', () => {
  const bomb = () => zipSync({ 'xl/workbook.xml': new Uint8Array(70 * 1024 * 1024) }, { level: 9 });
  const liar = () => {
    const file = Buffer.from(book(head + text('A2', 'x').repeat(5_000)));
    // The size in the central directory.
    const at = file.lastIndexOf('xl/worksheets/sheet9.xml') - 46;
    file.writeUInt32LE(100, at + 24);
    return file;
  };
  const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`xl/${index}.xml`, strToU8('x')]));
  test.each<[string, () => string | Uint8Array, string]>([
    ['a zip bomb', bomb, 'sheet_too_large'],
    ['an archive of too many files', () => book(head, { more: many }), 'sheet_too_large'],
    ['an entry longer than it says', liar, 'sheet_unreadable'],
    ['another archive', () => zipSync({ a: strToU8('x') }), 'sheet_unreadable'],
    ['an archive that is cut off', () => book(head).subarray(0, 300), 'sheet_unreadable'],
    ['an old Excel file', () => Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'sheet_xls'],
    ['a binary file', () => Buffer.from([1, 0, 2, 0]), 'sheet_unreadable'],
    ['a sheet without rows', () => ' \n,,\n', 'sheet_empty'],
    ['a sheet without fields', () => 'Group,Town\nChoir,Pune\n', 'sheet_no_fields'],
    ['two columns of one field', () => 'Group,City,CITY\nChoir,a,b\n', 'sheet_column_twice'],
    ['a quote that does not end', () => 'Group,City\nChoir,"a\nChess,b\n', 'sheet_quotes'],
    ['10,001 rows', () => `Group,City\n${'Choir,a\n'.repeat(10_001)}`, 'sheet_rows'],
    ['201 columns', () => `Group,City${',x'.repeat(199)}\n`, 'sheet_columns'],
    ['a cell beyond 200 columns', () => book(`${head}<row r="2">${text('XFD2', 'x')}</row>`), 'sheet_columns'],
    ['more than 4 MiB', () => Buffer.alloc(4 * 1024 * 1024 + 1, 'a'), 'file_too_large'],
  ])('%s', async (_, file, code) => {
    const { status, body } = await send(file(), { skip_refused: true });
    expect(status).toBe(400);
    expect(body.details).toMatchObject([{ field: 'file', code }]);
    expect(await valuesOf()).toEqual([{}, {}, {}]);
  });
});

test('an export is read by its ids, whatever the groups are called', async () => {
  await execute(app.database.db)`update groups set name = ${String(first)} where group_id = ${second}`;
  const report = await run(`group_metadata_id,group,City\n${first},Choir,Pune\n${second},${first},Goa\n`);
  expect(report).toMatchObject({ applied: true, ambiguous: [], added: 2 });
  expect(await valuesOf()).toEqual([{ City: 'Pune' }, { City: 'Goa' }, {}]);
});

test('exports the groups of a list, with empty cells for what they do not have', async () => {
  await run('Group,City\nChoir,"a, ""b"""\n');
  const list = { name: 'Two', group_metadata_ids: [first, second] };
  const { body } = await alice.call<{ group_list_id: number }>('venom/save-group-list', list);
  const answer = await fetch(`${app.url}/api/v1/venom/export-group-fields`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}` },
    body: JSON.stringify({ ...body.data, format: 'csv' }),
  });
  expect((await answer.text()).replace('\ufeff', '')).toBe(
    `group_metadata_id,group,City,Size,Meets on\r\n${second},Chess,,,\r\n${first},Choir,"a, ""b""",,\r\n`,
  );
});

test('an import is in the audit log, and a dry run is not', async () => {
  const count = async () =>
    (await readColumn(app.database.db)`select 1 from audit_log where action = 'group_fields.set'`).length;
  const before = await count();
  await dryRun('Group,City\nChoir,Pune\n');
  expect(await count()).toBe(before);
  await run('Group,City\nChoir,Pune\n');
  expect(await count()).toBe(before + 1);
});
